import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROBLEMS, type ProblemCode } from '../../../contract/problems.ts';
import type { TestStack } from '../../support/stack.ts';
import { writeSwitch } from '../../support/switch.ts';
import { isMint, type Passed, type Saboteur, sabotage } from './sabotaged-site.ts';
import { HOME_PAGE, onKeys, problem, withRemaining } from './saboteurs.ts';
import { checkIn, namesOf, smoke, smokeSmall, startRoomyStack } from './smoked.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startRoomyStack();
});
afterAll(() => stack.close());

describe('counting', () => {
  it.each<[string, number[], { counting: string; forged: string }]>([
    ['counts down', [9, 8], { counting: 'pass', forged: 'pass' }],
    [
      'is disturbed once by another visitor behind the same address',
      [9, 7, 6, 5],
      { counting: 'pass', forged: 'pass' },
    ],
    ['spans the end of a window', [0, 9, 8, 7], { counting: 'pass', forged: 'pass' }],
    ['finds another counter for forged addresses', [8, 9, 7, 9], { counting: 'pass', forged: 'fail' }],
    ['finds another counter at the start of a window', [9, 9, 8, 9], { counting: 'pass', forged: 'fail' }],
    ['is disturbed each time', [9, 7, 5, 3], { counting: 'fail', forged: 'pass' }],
    ['does not change', [9, 9, 9, 9], { counting: 'fail', forged: 'note' }],
    ['goes up', [9, 10, 11, 12], { counting: 'fail', forged: 'note' }],
  ])('%s: %j', async (_name, remaining, expected) => {
    const { report } = await smoke(
      stack,
      onKeys((answer, nth) => withRemaining(answer, remaining[nth - 1] ?? -1)),
    );

    expect(report.keysUsed).toBe(remaining.length);
    expect({
      counting: checkIn(report, 'counting')?.result,
      forged: checkIn(report, 'forged-address')?.result,
    }).toEqual(expected);
  });

  it('ignores a request that fails in between', async () => {
    const { report } = await smoke(
      stack,
      onKeys((answer, nth) => (nth === 2 ? problem('upstream_unavailable') : answer)),
    );

    expect(namesOf(report, 'fail')).toEqual([]);
    expect(report.keysUsed).toBe(3);
  });

  it('passes with one key left, because the next request is refused', async () => {
    const { report } = await smokeSmall({ environment: { CLIENT_LIMITS: '1/1d' } });

    expect(namesOf(report, 'fail')).toEqual([]);
    expect(report.keysUsed).toBe(1);
    expect(checkIn(report, 'counting')?.sentence).toContain('the next request was refused');
    expect(checkIn(report, 'forged-address')?.result).toBe('pass');
  });

  it('cannot determine who is counted if the limit for everybody is closest to being reached', async () => {
    const { report } = await smokeSmall({ environment: { CLIENT_LIMITS: '100/1d', GLOBAL_LIMITS: '50/1d' } });

    expect(checkIn(report, 'counting')?.result).toBe('pass');
    expect(checkIn(report, 'forged-address')?.result).toBe('note');
  });
});

describe('if the first request gets no key', () => {
  const others: Passed[] = [
    { status: 403, headers: { 'content-type': 'application/json' }, body: '{"Message":"Forbidden"}' },
    { status: 403, headers: { 'content-type': 'text/html' }, body: '<html>not configured to allow POST</html>' },
    { status: 429, headers: { 'content-type': 'application/json' }, body: '{"Reason":"Concurrency"}' },
    { status: 502, headers: { 'content-type': 'text/html' }, body: '<html></html>' },
    HOME_PAGE,
    { status: 200, headers: { 'content-type': 'application/json' }, body: 'null' },
    { status: 301, headers: { location: 'https://elsewhere.example' }, body: '' },
  ];
  // A refusal by the limiter has rate limit headers: it is tested with the real limiter, below.
  const codes = (Object.keys(PROBLEMS) as ProblemCode[]).filter((code) => PROBLEMS[code].status !== 429);

  it.each([...codes.map(problem), ...others].map((answer) => ({ answer })))(
    'requests no others, and says what to fix: $answer.status $answer.body',
    async ({ answer }) => {
      const { report, requests } = await smoke(stack, (request, passOn) =>
        isMint(request) ? answer : passOn(request),
      );

      expect(namesOf(report, 'fail')).toEqual(['key']);
      expect(requests.filter(isMint)).toHaveLength(1);
      expect(report.keysUsed).toBe(0);
      expect(namesOf(report, 'note')).toEqual(expect.arrayContaining(['counting', 'forged-address']));
    },
  );

  it('says when a visitor who has reached the limit can run it again', async () => {
    const { report } = await smokeSmall({ environment: { CLIENT_LIMITS: '1/1d' } }, (stack) => stack.visit());

    expect(namesOf(report, 'fail')).toEqual(['key']);
    expect(checkIn(report, 'key')).toMatchObject({ code: 'rate_limited', mend: expect.stringMatching(/in \d+ \w+/) });
    expect(checkIn(report, 'rate-limit-headers')?.result).toBe('pass');
  });

  it('names the kill switch', async () => {
    const { report } = await smokeSmall({}, ({ table }) =>
      writeSwitch(table, { paused: true, since: 1, by: 'me', message: { ja: undefined, en: undefined } }),
    );

    expect(namesOf(report, 'fail')).toEqual(['key']);
    expect(checkIn(report, 'key')).toMatchObject({ code: 'paused', meaning: expect.stringContaining('kill switch') });
  });

  it('still reports a Function URL that is open to everybody', async () => {
    const misconfigured: Saboteur = (request, passOn) =>
      request.path.startsWith('/session') ? problem('misconfigured') : passOn(request);
    await using open = await sabotage(stack.addresses.function, misconfigured);
    const { report } = await smoke(stack, misconfigured, { functionUrl: open.url });

    expect(namesOf(report, 'fail')).toEqual(['key', 'body-hash', 'function-url']);
  });

  it('reports one failure if the function answers every request with the same problem', async () => {
    const { report, addresses } = await smokeSmall({ environment: { CLIENT_LIMITS: 'ten an hour' } });

    expect(namesOf(report, 'fail')).toEqual(['key']);
    expect(checkIn(report, 'key')).toMatchObject({
      code: 'misconfigured',
      commands: [`tail -n 5 ${addresses.log}`],
    });
    expect(checkIn(report, 'error-bodies')?.sentence).toBe('Unknown: this response was misconfigured too.');
  });
});
