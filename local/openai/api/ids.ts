import { randomBytes } from 'node:crypto';

/** A new id as OpenAI writes them: `item_9f…`, `resp_…`, `event_…`. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}
