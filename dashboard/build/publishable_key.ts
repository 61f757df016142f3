/** The role that a legacy key, a JWT, stands for; null for anything else. */
function roleOf(key: string): string | null {
  try {
    return JSON.parse(Buffer.from(key.split(".")[1] ?? "", "base64url").toString()).role ?? null;
  } catch {
    return null;
  }
}

/** Refuses a key that is not made for a page: everybody who opens the page can read it. */
export function expectPublishable(key: string): void {
  if (key.startsWith("sb_publishable_") || roleOf(key) === "anon") return;
  const problem = new Error(
    "VITE_SUPABASE_PUBLISHABLE_KEY must be the publishable key (sb_publishable_…) or the legacy anon key: everybody can read it in the page",
  );
  // Vite prints the stack, and the one line is all that there is to say.
  problem.stack = problem.message;
  throw problem;
}
