import { beforeAll, describe, expect, it } from 'vitest';
import { MODES, type Mode } from '../../local/openai/keys/mint-failures.ts';
import { startOpenAI } from '../../local/openai/server.ts';
import { startTestStack, type Visited } from '../support/stack.ts';
import { writeSwitch } from '../support/switch.ts';

const API_KEY = 'sk-proj-A1b2C3d4E5f6G7h8I9j0';
/** Modes that take time, and whose responses the other modes cover. */
const TOO_SLOW: readonly Mode[] = ['hang', 'trickle', 'slow'];

const answers: Visited[] = [];
let log = '';

/** A full run: keys, refusals, every failure of OpenAI, a pause, invalid requests. */
beforeAll(async () => {
  const openai = await startOpenAI({ apiKey: API_KEY });
  const stack = await startTestStack({
    openai: { baseUrl: openai.baseUrl, apiKey: API_KEY },
    environment: { CLIENT_LIMITS: '2/1d' },
  });
  for (const from of [71, 71, 71, 71, 72]) {
    answers.push(await stack.visit({ from }));
  }
  for (const mode of (Object.keys(MODES) as Mode[]).filter((each) => !TOO_SLOW.includes(each))) {
    openai.tell({ mode } as Parameters<typeof openai.tell>[0]);
    answers.push(await stack.visit({ from: 73 }));
  }
  openai.reset();
  await writeSwitch(stack.table, {
    paused: true,
    since: undefined,
    by: undefined,
    message: { ja: undefined, en: undefined },
  });
  answers.push(
    await stack.visit({ from: 74 }),
    await stack.visit({ from: 75, method: 'GET' }),
    await stack.visit({ from: 75, headers: { 'x-forwarded-for': '203.0.113.99' } }),
    await stack.visit({ from: 76, headers: { origin: 'https://203.0.113.99' } }),
    await stack.visit({ from: 76, headers: { 'x-amz-content-sha256': null } }),
  );
  log = await stack.close();
  await openai.close();
});

describe('a full run', () => {
  it('has every expected result', () => {
    const codes = new Set(answers.map(({ json }) => json['code']));
    expect(codes).toEqual(
      new Set([
        undefined,
        'rate_limited',
        'upstream_refused',
        'upstream_unavailable',
        'paused',
        'method_not_allowed',
        'origin_not_allowed',
      ]),
    );
    expect(log.trim().split('\n').length).toBe(answers.length - 1);
  });

  it("never shows the owner's key or a part of it", () => {
    const all = answers.map(({ text, headers }) => text + JSON.stringify(headers)).join('\n') + log;
    expect(all).not.toMatch(/sk-|A1b2|I9j0|j0\b/);
    expect(all).not.toContain('org-');
  });

  it('writes no issued key to the log', () => {
    const issued = answers.map(({ json }) => json['value']).filter((value) => value !== undefined);
    expect(issued.length).toBeGreaterThan(2);
    expect(log).not.toContain('ek_');
    expect(answers.filter(({ status, text }) => status !== 200 && text.includes('ek_'))).toEqual([]);
  });

  it('shows no address of a visitor in responses or in the log', () => {
    const all = answers.map(({ text, headers }) => text + JSON.stringify(headers)).join('\n') + log;
    expect(all).not.toMatch(/127\.0\.0\.7\d|203\.0\.113\.99/);
  });

  it('writes one line of JSON per request, with a pseudonym instead of the address', () => {
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const limited = lines.filter(({ code }) => code === 'rate_limited');
    expect(limited.length).toBe(2);
    expect(new Set(limited.map(({ viewer }) => viewer)).size).toBe(1);
    expect(limited[0]).toMatchObject({ viewer: expect.stringMatching(/^[0-9a-f]{32}$/), RateLimited: 1, status: 429 });
  });
});
