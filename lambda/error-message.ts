/** What anything that was thrown says of itself, for the log. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
