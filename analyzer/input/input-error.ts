/** Why a log cannot be analysed, as a sentence for whoever named it. */
export class InputError extends Error {
  override readonly name = 'InputError';
}
