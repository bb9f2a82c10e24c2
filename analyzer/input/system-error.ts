/** Turns the error of a failed system call into words for the user. */

/** @returns a code such as `ENOENT`, or '' if the error has none */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** @param reasons by error code; an error with another code keeps its own message */
export function reasonOf(error: unknown, reasons: Readonly<Record<string, string>>): string {
  return reasons[codeOf(error)] ?? (error instanceof Error ? error.message : String(error));
}
