/** The role in a legacy key, which is a JWT; null for any other key. */
function roleOf(key: string): string | null {
  try {
    return JSON.parse(Buffer.from(key.split(".")[1] ?? "", "base64url").toString()).role ?? null;
  } catch {
    return null;
  }
}

/** Throws unless the key may be public: everybody who opens the page can read it. */
export function expectPublishable(key: string): void {
  if (key.startsWith("sb_publishable_") || roleOf(key) === "anon") return;
  const problem = new Error(
    "VITE_SUPABASE_PUBLISHABLE_KEY must be the publishable key (sb_publishable_…) or the legacy anon key: everybody can read it in the page",
  );
  // Vite prints the stack; the message alone is enough.
  problem.stack = problem.message;
  throw problem;
}
