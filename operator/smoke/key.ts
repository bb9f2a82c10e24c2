/** The key itself: asked for as the page's own script in a browser asks, and held against the documented answer. */
import { BODY_HASH_HEADER, EMPTY_BODY_SHA256, SESSION_PATH } from '../../contract/endpoint.ts';
import { type Finding, fail, pass } from '../output/finding.ts';
import { adviceForNoKey } from './advice.ts';
import { type Answer, described, fieldsOf, holdsKey, problemCode, type Reply, type Site, shown } from './site.ts';

const MEMBERS = ['value', 'expires_at', 'session'];
const SESSION_MEMBERS = ['type', 'model'];
/** The upper end of KEY_TTL_SECONDS in contract/configuration.ts. */
const LONGEST_TTL_SECONDS = 7_200;
/** Between the clocks of OpenAI, which sets expires_at, and of the edge, which sets Date. */
const CLOCK_TOLERANCE_SECONDS = 5;

/** Origin and Sec-Fetch-Site too: if the edge withheld one of them, every browser would be refused and curl would not. */
export async function askForKey(site: Site, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
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
      `A POST as the page sends it gets no key: the answer is ${described(reply)}.`,
      adviceForNoKey(reply, localLog),
      problemCode(reply),
    );
  }
  const complaints = keyComplaints(reply);
  if (complaints.length > 0) {
    return fail(`A key came, but ${complaints.join('; ')}.`, {
      meaning: 'The page may not take this key, or visitors are shown what is not for them, such as your instructions.',
      mend: 'The answer is not what lambda/answers/answers.ts makes. Build and deploy this version, and look for anything in between that rewrites answers.',
      commands: ['npm run deploy'],
    });
  }
  const { model } = fieldsOf(reply.json['session']);
  return pass(
    `A POST as the page sends it gets a key for ${shown(String(model))} that lives ${lifetimeSeconds(reply)} s, and nothing beside it.`,
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
    mediaType === 'application/json' ? undefined : `its content type is ${shown(mediaType)}`,
    /^ek_./.test(String(json['value'])) ? undefined : 'it does not begin with "ek_"',
    lifetime > 0 ? undefined : 'it has expired, or does not say when it will (expires_at, in epoch seconds)',
    lifetime > longest ? `it lives ${lifetime} s, and ${LONGEST_TTL_SECONDS} s is the most` : undefined,
    typeof session['type'] === 'string' && typeof session['model'] === 'string'
      ? undefined
      : 'session.type or session.model is missing',
    undocumented.length === 0
      ? undefined
      : `the answer also has ${undocumented.map(shown).join(', ')}, which is not documented`,
  ].filter((complaint) => complaint !== undefined);
}

/** By the server's clock: the owner's may be wrong. NaN if there is no time. */
function lifetimeSeconds({ json, serverTime }: Answer): number {
  const { expires_at } = json;
  return typeof expires_at === 'number' ? Math.round(expires_at - serverTime / 1_000) : Number.NaN;
}

function namesBeyond(value: Readonly<Record<string, unknown>>, documented: readonly string[]): string[] {
  return Object.keys(value).filter((name) => !documented.includes(name));
}
