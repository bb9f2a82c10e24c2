import { describe, expect, it } from 'vitest';
import { issuer } from './command.ts';

const COMMANDS = ['status', 'watch', 'pause', 'resume', 'block', 'unblock', 'forget', 'doctor', 'smoke', 'cost'];

describe('issuer --help', () => {
  it('names every command and the exit codes', async () => {
    const { code, out } = await issuer(['--help']);

    expect(code).toBe(0);
    expect([...out.matchAll(/^ {2}(\w+) \[options\]/gm)].map(([, name]) => name)).toEqual(COMMANDS);
    expect(out).toContain('Exit code: 0 done, 1 it failed or found something wrong, 2 wrong usage.');
  });

  it.each(COMMANDS)('%s --help says what it does, with an example, and that there is --json', async (command) => {
    const { code, out, errors } = await issuer([command, '--help']);

    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(out).toContain('--json');
    expect(out).toMatch(new RegExp(`\nExample:\n  issuer ${command}`));
  });
});

it.each<[string[], string]>([
  [[], 'Usage: issuer'],
  [['stop'], "unknown command 'stop'"],
  [['paus'], 'Did you mean pause?'],
  [['status', '--verbose'], "unknown option '--verbose'"],
  [['status', 'extra'], 'too many arguments'],
  [['block', '203.0.113.9'], "required option '--for <TIME>' not specified"],
  [['unblock'], "missing required argument 'VIEWER'"],
  [['block', '203.0.113.9', '--for', '1w'], 'A right value: --for 30m, 12h or 1d'],
  [['block', '203.0.113.9', '--for', '0h'], 'A right value: --for 30m, 12h or 1d'],
  [['block', '203.0.113', '--for', '1d'], 'is neither a pseudonym of 32 hexadecimal digits'],
  [['unblock', '203.0.113.9:443'], 'A right value: 203.0.113.9, or 2001:db8::1'],
  [['forget', 'fe80::1%eth0'], 'A right value: 203.0.113.9, or 2001:db8::1'],
  [['pause', '--message', 'Back at noon.'], 'A right value: --message "ja='],
  [['pause', '--message', 'fr=À midi.'], 'A right value: --message "ja='],
  [['pause', '--message', 'en='], 'A right value: --message "ja='],
  [['status', '--local', 'here'], 'A right value: --local 8787'],
  [['status', '--local', '8787', '--region', 'eu-central-1'], 'Give one or the other.'],
  [['watch', '--every', '0', '--local'], 'must be a number from 1 to 3600'],
  [['cost', '--keys', '10'], "required option '--refused <M>' not specified"],
  [['cost', '--keys', '1e3', '--refused', '0'], 'A right value: --keys 1'],
  [['cost', '--keys', '1.5', '--refused', '0'], 'must be a whole number'],
  [['smoke'], "missing required argument 'URL'"],
])('%j ends with 2 and a sentence, having asked nobody', async (args, sentence) => {
  const { code, out, errors } = await issuer(args, {
    client: { endpoint: 'http://127.0.0.1:1' },
    fetch: () => Promise.reject(new Error('asked')),
  });

  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(errors).toContain(sentence);
});

it('where no local stack runs, says how to start one', async () => {
  expect(await issuer(['status', '--local', '1'])).toEqual({
    code: 1,
    out: '',
    errors: 'No local stack runs on port 1. Start one: PORT=1 npm start\n',
  });
});
