/** No response of the API may be cached: a second visitor would get a cached key, and a cached refusal would not end. */
import { type Finding, fail, note, pass } from '../output/finding.ts';
import { type Answer, described, holdsKey, problemCode, shown } from './site.ts';

const FIX_CACHING = {
  mend: 'The behavior for /session* needs the cache policy CachingDisabled, and the function sends Cache-Control: no-store. Find out what overrides either of them. Then deploy this version:',
  commands: ['npm run deploy'],
};

/** Checks only the function's own responses: AWS's own responses do not have the header. */
export function judgeNoStore(answers: readonly Answer[]): Finding {
  const own = answers.filter(
    (answer) => holdsKey(answer) || answer.status === 204 || problemCode(answer) !== undefined,
  );
  const cacheable = own.find(({ headers }) => headers.get('cache-control') !== 'no-store');
  if (cacheable !== undefined) {
    const sent = shown(cacheable.headers.get('cache-control') ?? '');
    return fail(`A response lacks Cache-Control: no-store: ${described(cacheable)} has ${sent}.`, {
      meaning: 'Browsers and proxies may store the response, including keys.',
      ...FIX_CACHING,
    });
  }
  return own.length === 0
    ? note('Not checked: no response came from the function.')
    : pass(`All ${own.length} responses of the function have Cache-Control: no-store.`);
}

export function judgeNotCached(answers: readonly Answer[]): Finding {
  const keys = answers.filter(holdsKey).map(({ json }) => json['value']);
  const isRepeated = new Set(keys).size < keys.length;
  const cached = answers.find(({ headers }) => headers.has('age') || /\bhit\b/i.test(headers.get('x-cache') ?? ''));
  if (cached === undefined && !isRepeated) {
    const freshKeys = keys.length > 1 ? `, and the ${keys.length} keys differ` : '';
    return pass(`No response came from a cache: none has an Age header or a hit in X-Cache${freshKeys}.`);
  }
  const seen =
    cached === undefined
      ? 'Two requests got the same key.'
      : `The response ${described(cached)} came from a cache: it has an Age header, or a hit in X-Cache.`;
  return fail(seen, {
    meaning:
      'Visitors can get the keys or responses of other visitors, and cached requests do not count against the limits.',
    ...FIX_CACHING,
  });
}
