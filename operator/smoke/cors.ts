/**
 * Pages of other sites. A page whose origin is not allowed is refused and cannot read the refusal. A page of an allowed origin
 * can request a key and read every header. No request in this file uses a key.
 */
import { BODY_HASH_HEADER, CORS, EMPTY_BODY_SHA256, SESSION_PATH } from '../../contract/endpoint.ts';
import { type Finding, fail, note, pass } from '../output/finding.ts';
import { UNSERVABLE } from './refusals.ts';
import { described, problemCode, type Reply, type Site, shown } from './site.ts';

/** Belongs to nobody: .example is reserved (RFC 2606). */
const FOREIGN_ORIGIN = 'https://smoke.example';

export async function checkForeignOrigin(site: Site): Promise<Finding> {
  const reply = await requestFrom(site, FOREIGN_ORIGIN);
  const isReadable = reply.kind === 'answer' && reply.headers.has('access-control-allow-origin');
  if (problemCode(reply) === 'origin_not_allowed' && !isReadable) {
    return pass('A page of another site is refused, and cannot read the response.');
  }
  const seen = isReadable
    ? 'has access-control-allow-origin for an origin that is not allowed'
    : 'is not origin_not_allowed';
  return fail(
    `A POST from a page of another site (${FOREIGN_ORIGIN}): the response ${described(reply)} ${seen}.`,
    {
      meaning: 'Any page on the web can let its visitors request keys here, at your expense.',
      mend: 'The edge must forward Origin and send CORS headers only for the origins in allowedOrigins (cdk.json). Nothing else may add CORS headers. Then deploy:',
      commands: ['npm run deploy'],
    },
    problemCode(reply),
  );
}

/** @param origin undefined if no origin was given */
export async function checkAllowedOrigin(site: Site, origin: string | undefined): Promise<Finding> {
  if (origin === undefined) {
    return note(
      'Not checked. If pages of other sites may use this one (allowedOrigins), check one with --origin https://….',
    );
  }
  const preflight = await site.ask({
    method: 'OPTIONS',
    path: SESSION_PATH,
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': CORS.allowHeaders.join(','),
    },
  });
  const reply = await requestFrom(site, origin);
  const complaints = [
    preflight.kind === 'answer' && preflight.status === 204
      ? undefined
      : `the response to the preflight is ${described(preflight)}`,
    ...complaintsAbout(preflight, 'the preflight', origin, {
      'access-control-allow-methods': CORS.allowMethods,
      'access-control-allow-headers': CORS.allowHeaders,
    }),
    problemCode(reply) === 'origin_not_allowed' ? 'the function refuses it (origin_not_allowed)' : undefined,
    ...complaintsAbout(reply, 'the response', origin, { 'access-control-expose-headers': CORS.exposeHeaders }),
  ].filter((complaint) => complaint !== undefined);
  if (complaints.length === 0) {
    return pass(`Pages of ${origin} can request keys and read every header.`);
  }
  return fail(
    `Pages of ${origin} cannot use the API: ${complaints.join('; ')}.`,
    {
      meaning: 'The page shows its visitors an error, and cannot distinguish a rate limit from a lost connection.',
      mend: `Add exactly ${shown(origin)} to allowedOrigins in cdk.json, and deploy. If it is already there, something else sets CORS headers too.`,
      commands: ['npm run deploy'],
    },
    problemCode(reply),
  );
}

async function requestFrom(site: Site, origin: string): Promise<Reply> {
  return await site.ask({
    method: 'POST',
    path: SESSION_PATH,
    headers: { ...UNSERVABLE, [BODY_HASH_HEADER]: EMPTY_BODY_SHA256, origin, 'sec-fetch-site': 'cross-site' },
  });
}

function complaintsAbout(
  reply: Reply,
  name: string,
  origin: string,
  lists: Readonly<Record<string, readonly string[]>>,
): string[] {
  if (reply.kind === 'silence') {
    return [`${name} is missing (${reply.reason})`];
  }
  const { headers } = reply;
  const allowed = headers.get('access-control-allow-origin');
  if (allowed !== origin) {
    return [`${name} has ${allowed === null ? 'no' : `an invalid (${shown(allowed)})`} access-control-allow-origin`];
  }
  return Object.entries(lists).flatMap(([header, wanted]) => {
    const listed = (headers.get(header) ?? '').split(',').map((part) => part.trim().toLowerCase());
    const missing = wanted.filter((part) => !listed.includes(part.toLowerCase()));
    return missing.length === 0 ? [] : [`${header} of ${name} lacks ${missing.join(', ')}`];
  });
}
