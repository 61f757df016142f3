create table members (id uuid primary key, name text, email text, role text, team_id uuid, team_name text, created_at timestamptz);
create table teams (id uuid primary key, name text, created_at timestamptz);
create table activity (
  id uuid primary key, timestamp timestamptz, sender_name text, sender_email text, receiver_name text, receiver_email text, message text, category text,
  sender_id uuid, receiver_id uuid, category_id uuid
);
create table categories (id uuid primary key, name text, created_at timestamptz);
create table rewards (
  id uuid primary key, name text, description text, points_cost bigint, reward_type text, stock_count bigint, image_url text, vendor_name text,
  is_archived boolean, created_at timestamptz, external_id text
);
create table day_ratings (id uuid primary key, rating int, comment text, team_id uuid, points_awarded bigint, created_at timestamptz, team_name text);
create table pulse_responses (
  id uuid primary key, timestamp timestamptz, question text, response_type text, value text, comment text, question_id uuid
);
