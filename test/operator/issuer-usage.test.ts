import { describe, expect, it, vi } from 'vitest';
import { StrictCommand } from '../../operator/command-line/option-values.ts';
import { issuer } from './command.ts';

/** None is found, whatever runs on this machine: these are commands that change things. */
vi.mock('../../operator/stack/local-stack.ts', () => ({ findLocalStack: () => Promise.resolve(undefined) }));

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
  [
    ['status', 'extra'],
    '"extra" is one argument too many: status takes no argument. A right call: issuer status --local',
  ],
  [['unblock', '203.0.113.9', '203.0.113.8'], '"203.0.113.8" is one argument too many: unblock takes VIEWER alone.'],
  [['pause', '--message', 'en=Back.', 'fr=À midi.'], '"fr=À midi." is one argument too many: pause takes no argument.'],
  [['block', '--local', '8787', '--for', '1d'], "missing required argument 'VIEWER'"],
  [['block', '--local', '8787', '--for', '1d'], 'A right call: issuer block 203.0.113.9 --for 1d'],
  [['block', '--local', '99999', '203.0.113.9', '--for', '1d'], '--local "99999" must be a port.'],
  [['block', '203.0.113.9', '--for', '1d', '--message'], "option '--message <WORDS...>' argument missing"],
  [['block', '--message', '203.0.113.9', '--for', '1d'], '--message "203.0.113.9" must be a language'],
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
  [['pause', '--message', 'en=Back at noon.', 'en=Back at one.'], 'twice: "Back at noon." and "Back at one."'],
  [['status', '--local', '0'], 'A right value: --local 8787'],
  [['status', '--local', 'here'], '"here" is one argument too many: status takes no argument.'],
  [['status', '--local=here'], 'A right value: --local 8787'],
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

describe('what comes after an option that may have a value, or several, is the command’s own', () => {
  const ID = 'a'.repeat(32);

  it.each<[string[], string]>([
    [['unblock', '--local', '203.0.113.9'], '8787'],
    [['forget', '--local', '2001:db8::1'], '8787'],
    [['unblock', '--local', ID], '8787'],
    [['unblock', '--local', '1'.repeat(32)], '8787'],
    [['unblock', '--local', '8788', ID], '8788'],
    [['unblock', '--local=8788', ID], '8788'],
    [['unblock', ID, '--local'], '8787'],
    [['unblock', '--local', '--', ID], '8787'],
    [['block', '--for', '1d', '--local', '203.0.113.9', '--message', 'en=x'], '8787'],
    [['block', '--for', '1d', '--message', 'en=x', '203.0.113.9', '--local'], '8787'],
    [['block', '--for', '1d', '--message', 'en=x', 'ja=y', '203.0.113.9', '--local', '8788'], '8788'],
    [['block', '--for', '1d', '--message', 'en=x', '--message', 'ja=y', '--local', ID], '8787'],
    [['pause', '--message', 'en=--hard', '--local', '8788'], '8788'],
  ])('%j', async (args, port) => {
    // The command was understood whole: all that is missing is the stack.
    expect(await issuer(args)).toMatchObject({
      code: 1,
      errors: `No local stack runs on port ${port}. Start one: PORT=${port} npm start\n`,
    });
  });

  it('an option of that kind says what its values look like, or is refused', () => {
    expect(() => new StrictCommand('x').option('--to [PLACE]', 'where')).toThrow('has to say what they look like');
    expect(() => new StrictCommand('x').option('--all <PLACES...>', 'where')).toThrow('has to say what they look like');
  });
});
