/** Requests a key as the page's script does in a browser, and compares the response with the documented one. */
import { BODY_HASH_HEADER, EMPTY_BODY_SHA256, SESSION_PATH } from '../../contract/endpoint.ts';
import { type Finding, fail, pass } from '../output/finding.ts';
import { adviceForNoKey } from './advice.ts';
import { type Answer, described, fieldsOf, holdsKey, problemCode, type Reply, type Site, shown } from './site.ts';

const MEMBERS = ['value', 'expires_at', 'session'];
const SESSION_MEMBERS = ['type', 'model'];
/** The maximum of KEY_TTL_SECONDS in contract/configuration.ts. */
const LONGEST_TTL_SECONDS = 7_200;
/** Between the clocks of OpenAI, which sets expires_at, and of the edge, which sets Date. */
const CLOCK_TOLERANCE_SECONDS = 5;

/** Sends Origin and Sec-Fetch-Site too: if the edge dropped one of them, every browser would be refused, but not curl. */
export async function requestKey(site: Site, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  return await site.ask({
    method: 'POST',
    path: SESSION_PATH,
    headers: {
      [BODY_HASH_HEADER]: EMPTY_BODY_SHA256,
      origin: site.url.origin,
      'sec-fetch-site': 'same-origin',
      ...headers,
    },
  });
}

/** @param localLog the log file of a local stack; undefined on AWS */
export function judgeKey(reply: Reply, localLog: string | undefined): Finding {
  if (reply.kind === 'silence' || !holdsKey(reply)) {
    return fail(
      `A POST like the page's gets no key: the response is ${described(reply)}.`,
      adviceForNoKey(reply, localLog),
      problemCode(reply),
    );
  }
  const complaints = keyComplaints(reply);
  if (complaints.length > 0) {
    return fail(`The response holds a key, but ${complaints.join('; ')}.`, {
      meaning:
        'The page may reject this key, or visitors can read what is not meant for them, such as your instructions.',
      mend: 'The response differs from what lambda/answers/answers.ts sends. Look for anything between here and the function that rewrites responses, and deploy this version:',
      commands: ['npm run deploy'],
    });
  }
  const { model } = fieldsOf(reply.json['session']);
  return pass(
    `A POST like the page's gets a key for ${shown(String(model))} that is valid for ${lifetimeSeconds(reply)} s, and nothing else.`,
  );
}

function keyComplaints(answer: Answer): string[] {
  const { mediaType, json } = answer;
  const session = fieldsOf(json['session']);
  const undocumented = [
    ...namesBeyond(json, MEMBERS),
    ...namesBeyond(session, SESSION_MEMBERS).map((name) => `session.${name}`),
  ];
  const lifetime = lifetimeSeconds(answer);
  const longest = LONGEST_TTL_SECONDS + CLOCK_TOLERANCE_SECONDS;
  return [
    mediaType === 'application/json' ? undefined : `the content type is ${shown(mediaType)}`,
    /^ek_./.test(String(json['value'])) ? undefined : 'the key does not begin with "ek_"',
    lifetime > 0 ? undefined : 'the key has expired, or expires_at is not in epoch seconds',
    lifetime > longest ? `the key is valid for ${lifetime} s, and the maximum is ${LONGEST_TTL_SECONDS} s` : undefined,
    typeof session['type'] === 'string' && typeof session['model'] === 'string'
      ? undefined
      : 'session.type or session.model is missing',
    undocumented.length === 0 ? undefined : `it also has undocumented members: ${undocumented.map(shown).join(', ')}`,
  ].filter((complaint) => complaint !== undefined);
}

/** By the server's clock, because the owner's may be off. NaN if `expires_at` is not a number. */
function lifetimeSeconds({ json, serverTime }: Answer): number {
  const { expires_at } = json;
  return typeof expires_at === 'number' ? Math.round(expires_at - serverTime / 1_000) : Number.NaN;
}

function namesBeyond(value: Readonly<Record<string, unknown>>, documented: readonly string[]): string[] {
  return Object.keys(value).filter((name) => !documented.includes(name));
}
