/** A log cannot be analysed. The message is a sentence for the user. */
export class InputError extends Error {
  override readonly name = 'InputError';
}
