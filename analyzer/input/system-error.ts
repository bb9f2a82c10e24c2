/** What Node says of a call to the system that failed, in words for whoever named the file. */

/** Such as `ENOENT`; empty where the error has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** @param reasons by code; any other error has its own message */
export function reasonOf(error: unknown, reasons: Readonly<Record<string, string>>): string {
  return reasons[codeOf(error)] ?? (error instanceof Error ? error.message : String(error));
}
