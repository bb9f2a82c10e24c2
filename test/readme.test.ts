/** The front page, in English and in Japanese: its size, its tables, and that its examples run. */
import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { VARIABLES } from '../contract/configuration.ts';
import { BODY_HASH_HEADER, EMPTY_BODY_SHA256, SESSION_PATH } from '../contract/endpoint.ts';
import { LOCAL_CREDENTIALS } from '../local/aws/identity.ts';
import packageJson from '../package.json' with { type: 'json' };
import { startScriptedServer } from './resilience/scripted-server.ts';
import {
  codeBlocks,
  codeSpans,
  importExample,
  links,
  readDocument,
  section,
  tableRows,
  tableUnder,
} from './support/documentation.ts';
import { dynamodb, freshTable } from './support/table.ts';

const readme = await readDocument('README.md');
const japanese = await readDocument('README.ja.md');
const READMES = [
  { name: 'README.md', text: readme, configuration: 'Configuration', benchmarks: 'Benchmarks' },
  { name: 'README.ja.md', text: japanese, configuration: '設定', benchmarks: 'ベンチマーク' },
];

describe('the README', () => {
  it('is a front page: 14,000 bytes at most', () => {
    expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(14_000);
  });

  it('names the Node that is needed, in the first line of "Try it"', () => {
    expect(packageJson.engines.node).toBe('^20.19.0 || >=22.12.0');
    expect(section(readme, 'Try it').trim().split('\n')[0]).toContain(
      'Node 20 (20.19 or later) or Node 22.12 or later',
    );
    expect(section(japanese, '試してみる').trim().split('\n')[0]).toContain(
      'Node 20（20.19 以降）または Node 22.12 以降',
    );
  });

  it('says right after the first commands what it promises, and what it does not', () => {
    const headings = [...readme.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(headings.slice(0, 2)).toEqual(['Try it', 'What it promises, and what it does not']);
  });

  it.each(READMES)('$name lists every variable with its default', ({ text, configuration }) => {
    const rows = tableUnder(text, configuration).map(([name, value = '']) => [
      name,
      value.replace(/^(none|なし)$/, ''),
    ]);
    const variables = Object.entries(VARIABLES).map(([name, variable]) => [
      name,
      'default' in variable ? variable.default : '',
    ]);
    expect(rows).toEqual(variables);
  });

  it("shows a curl line that is the client's request", async () => {
    const curl = (await codeBlocks('README.md', 'sh')).find((block) => block.startsWith('curl'));
    expect(curl).toBe(
      `curl -i -X POST -H '${BODY_HASH_HEADER}: ${EMPTY_BODY_SHA256}' http://127.0.0.1:8787${SESSION_PATH}\n`,
    );
  });
});

describe('the Japanese README', () => {
  it('is linked from the first line of the English one, and links back', () => {
    expect(readme.split('\n')[0]).toContain('](README.ja.md)');
    expect(japanese.split('\n')[0]).toContain('](README.md)');
  });

  it('has the same commands, programs and answers', async () => {
    expect(await codeBlocks('README.ja.md')).toEqual(await codeBlocks('README.md'));
  });

  it('has the same codes, variables, defaults and names', () => {
    const inOrder = (text: string) => [...new Set(codeSpans(text))].toSorted();
    expect(inOrder(japanese)).toEqual(inOrder(readme));
  });

  it('has the same rows in the same tables', () => {
    const rows = (text: string) => text.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows(japanese).map(codeSpans)).toEqual(rows(readme).map(codeSpans));
  });

  it('has the same links, and the same pictures in the same order', () => {
    const elsewhere = (text: string) => links(text).filter((link) => !/^(README(\.ja)?\.md$|#)/.test(link));
    const pictures = (text: string) => elsewhere(text).filter((link) => /\.(png|svg)$/.test(link));
    expect(elsewhere(japanese).toSorted()).toEqual(elsewhere(readme).toSorted());
    expect(pictures(japanese)).toEqual(pictures(readme));
    expect(pictures(readme)).toContain('docs/page.png');
  });

  it('has the same structure', () => {
    const levels = (text: string) => [...text.matchAll(/^(#+) /gm)].map(([, level]) => level);
    const items = (text: string) => text.match(/^ *(-|\d\.) /gm);
    expect(levels(japanese)).toEqual(levels(readme));
    expect(items(japanese)).toEqual(items(readme));
  });
});

describe('the figures of the benchmarks', async () => {
  const lines = (await readDocument('docs/benchmarks.md')).split('\n').filter((line) => line.startsWith('| '));
  const rows = tableRows(lines).map(([what = '', ratio = '', target = '', ours = '', beside = '']) => ({
    what,
    ratio,
    target,
    ours,
    beside,
  }));
  const row = (name: string) => rows.find(({ what }) => what === name) ?? expect.unreachable(`There is no row ${name}`);
  const range = (peer: string) => {
    const ratios = rows.filter(({ what }) => /^10\/1h (allowed|refused) \//.test(what) && what.includes(`/ ${peer},`));
    expect(ratios).toHaveLength(6);
    const sorted = ratios.map(({ ratio }) => ratio).toSorted((a, b) => Number(a) - Number(b));
    return [sorted.at(0), sorted.at(-1)];
  };
  const targets = rows.filter(({ target }) => /^[≥≤]/.test(target));
  const quoted = {
    'targets, and those that are missed': [
      targets.length,
      targets.filter(({ target }) => target.endsWith('missed')).length,
    ],
    'decisions beside rate-limiter-flexible': range('rate-limiter-flexible'),
    'decisions beside a raw write': range('raw write'),
    'a key': [row('median time, floor / ours').ours, row('median time, floor / ours').beside],
    'a cold start': [
      row('size / its bound').ours,
      row('import / two SDK clients').ours,
      row('import / two SDK clients').beside,
    ],
    'the client': [
      row('bytes, gzipped / @openai/agents-realtime').ours,
      row('bytes, gzipped / @openai/agents-realtime').beside,
    ],
    'the analyzer': [
      row('NDJSON of 200 MB, speed / JSON.parse').ours,
      row('NDJSON of 200 MB, speed / JSON.parse').ratio,
      row('NDJSON of 2 GB, speed / its bound').ours,
      row('NDJSON of 200 MB, peak memory / its bound').ours,
    ],
  };

  describe.each(READMES)('in $name', ({ text, benchmarks }) => {
    it.each(Object.entries(quoted))('%s: are those of docs/benchmarks.md', (_, figures) => {
      for (const figure of figures) {
        expect(section(text, benchmarks)).toMatch(new RegExp(`(?<![\\d.,])${figure}(?![\\d.]*\\d)`));
      }
    });

    it('are no others', () => {
      const known = new Set(Object.values(quoted).flat().map(String));
      const numbers = section(text, benchmarks).match(/\d[\d.,]*\d/g) ?? [];
      const unknown = numbers.filter((number) => ![...known].some((figure) => figure.split(' ')[0] === number));
      // The log's size is in the row's name.
      expect(unknown).toEqual(['200']);
    });
  });
});

describe("the README's examples", () => {
  const examples = new Map<string, string>();
  beforeAll(async () => {
    for (const code of await codeBlocks('README.md', 'ts')) {
      examples.set(/'ephemeral-key-issuer\/?(\w*)'/.exec(code)?.[1] ?? '', code);
    }
  });

  it('show the construct, the client, the limiter and resilience', () => {
    expect([...examples.keys()]).toEqual(['', 'client', 'limiter', 'resilience']);
  });

  it('the limiter admits three a minute, and refuses the fourth', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1, 12) });
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', dynamodb.endpoint);
    vi.stubEnv('AWS_REGION', 'us-east-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', LOCAL_CREDENTIALS.accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', LOCAL_CREDENTIALS.secretAccessKey);
    const { name } = await freshTable();
    const { isAllowed } = await importExample(
      'readme-limiter',
      examples.get('limiter')?.replace("'limits'", `'${name}'`) ?? '',
    );
    const allowed: unknown[] = [];
    for (let call = 1; call <= 4; call += 1) {
      allowed.push(await (isAllowed as (user: string) => Promise<boolean>)('ann'));
    }
    vi.useRealTimers();
    vi.unstubAllEnvs();
    expect(allowed).toEqual([true, true, true, false]);
  });

  it('resilience retries a 503', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const server = await startScriptedServer();
    server.play({ status: 503 }, { status: 200, body: { id: 7 } });
    const { load } = await importExample('readme-resilience', examples.get('resilience') ?? '');
    const response = await (load as (url: string) => Promise<Response>)(server.url);
    vi.restoreAllMocks();
    await server.close();
    expect([response.status, server.requests.length]).toEqual([200, 2]);
  });

  it('the client is one that compiles', async () => {
    const compiled = await readFile('docs/examples/client/readme.ts', 'utf8');
    expect(examples.get('client')).toBe(
      compiled.replace('../../../web/client/index.ts', 'ephemeral-key-issuer/client'),
    );
  });
});
