/** Nothing of the API may be kept on the way: a cached key goes to a second visitor, a cached refusal never ends. */
import { type Finding, fail, note, pass } from '../output/finding.ts';
import { type Answer, described, holdsKey, problemCode, shown } from './site.ts';

const MEND_CACHING = {
  mend: 'The behavior for /session* needs the cache policy CachingDisabled, and the function sends Cache-Control: no-store; look for what overrides either of them. Then deploy this version:',
  commands: ['npm run deploy'],
};

/** Of the function's own answers: what AWS says in its place carries no such header. */
export function judgeNoStore(answers: readonly Answer[]): Finding {
  const own = answers.filter(
    (answer) => holdsKey(answer) || answer.status === 204 || problemCode(answer) !== undefined,
  );
  const wrong = own.find(({ headers }) => headers.get('cache-control') !== 'no-store');
  if (wrong !== undefined) {
    const sent = shown(wrong.headers.get('cache-control') ?? '');
    return fail(`An answer lacks Cache-Control: no-store: ${described(wrong)} has ${sent}.`, {
      meaning: 'Browsers and proxies may keep the answer, keys included.',
      ...MEND_CACHING,
    });
  }
  return own.length === 0
    ? note("Not checked: no answer was the function's own.")
    : pass(`All ${own.length} answers of the function carry Cache-Control: no-store.`);
}

export function judgeNotCached(answers: readonly Answer[]): Finding {
  const keys = answers.filter(holdsKey).map(({ json }) => json['value']);
  const isRepeated = new Set(keys).size < keys.length;
  const kept = answers.find(({ headers }) => headers.has('age') || /\bhit\b/i.test(headers.get('x-cache') ?? ''));
  if (kept === undefined && !isRepeated) {
    const freshKeys = keys.length > 1 ? `, and the ${keys.length} keys are different ones` : '';
    return pass(`Nothing came out of a cache: no answer has an Age or a hit in X-Cache${freshKeys}.`);
  }
  const seen =
    kept === undefined
      ? 'Two calls got the same key.'
      : `The answer ${described(kept)} came out of a cache: it has an Age, or a hit in X-Cache.`;
  return fail(seen, {
    meaning: 'Visitors share keys or see answers that were meant for others, and the limits do not see their calls.',
    ...MEND_CACHING,
  });
}
