import { describe, expect, it, vi } from 'vitest';
import { StrictCommand } from '../../operator/command-line/option-values.ts';
import { issuer } from './command.ts';

/** No stack is found, even if one runs on this machine: these commands would change it. */
vi.mock('../../operator/stack/local-stack.ts', () => ({ findLocalStack: () => Promise.resolve(undefined) }));

const COMMANDS = ['status', 'watch', 'pause', 'resume', 'block', 'unblock', 'forget', 'doctor', 'smoke', 'cost'];

describe('issuer --help', () => {
  it('names every command and the exit codes', async () => {
    const { code, out } = await issuer(['--help']);

    expect(code).toBe(0);
    expect([...out.matchAll(/^ {2}(\w+) \[options\]/gm)].map(([, name]) => name)).toEqual(COMMANDS);
    expect(out).toContain('Exit code: 0 succeeded, 1 failed or found a problem, 2 invalid arguments.');
  });

  it.each(COMMANDS)('%s --help says what it does, with an example, and mentions --json', async (command) => {
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
  [['status', 'extra'], 'Unexpected argument "extra": status takes no argument. For example: issuer status --local'],
  [['unblock', '203.0.113.9', '203.0.113.8'], 'Unexpected argument "203.0.113.8": unblock takes only VIEWER.'],
  [
    ['pause', 'back soon'],
    'Unexpected argument "back soon": pause takes no argument. To show visitors a message: issuer pause --message "ja=',
  ],
  [['pause', '--message', 'en=Back.', 'fr=À midi.'], 'Unexpected argument "fr=À midi.": pause takes no argument.'],
  [['block', '--local', '8787', '--for', '1d'], "missing required argument 'VIEWER'"],
  [['block', '--local', '8787', '--for', '1d'], 'For example: issuer block 203.0.113.9 --for 1d'],
  [
    ['block', '--local', '99999', '203.0.113.9', '--for', '1d'],
    '--local "99999" is invalid: it must be a port from 1 to 65535.',
  ],
  [['block', '203.0.113.9', '--for', '1d', '--message'], "option '--message <WORDS...>' argument missing"],
  [['block', '--message', '203.0.113.9', '--for', '1d'], '--message "203.0.113.9" is invalid: it must be ja= or en='],
  [['block', '203.0.113.9'], "required option '--for <TIME>' not specified"],
  [['unblock'], "missing required argument 'VIEWER'"],
  [['block', '203.0.113.9', '--for', '1w'], 'For example: --for 30m, --for 12h or --for 1d'],
  [['block', '203.0.113.9', '--for', '0h'], 'For example: --for 30m, --for 12h or --for 1d'],
  [
    ['block', '203.0.113', '--for', '1d'],
    '"203.0.113" is not a viewer: it must be an IPv4 or IPv6 address, or a pseudonym of 32 hexadecimal digits',
  ],
  [['unblock', '203.0.113.9:443'], 'For example: 203.0.113.9 or 2001:db8::1'],
  [['forget', 'fe80::1%eth0'], 'For example: 203.0.113.9 or 2001:db8::1'],
  [['pause', '--message', 'Back at noon.'], 'For example: --message "ja='],
  [['pause', '--message', 'fr=À midi.'], 'For example: --message "ja='],
  [['pause', '--message', 'en='], 'For example: --message "ja='],
  [
    ['pause', '--message', 'en=Back at noon.', 'en=Back at one.'],
    'two texts for en: "Back at noon." and "Back at one."',
  ],
  [['status', '--local', '0'], 'For example: --local 8787'],
  [['status', '--local', 'here'], 'Unexpected argument "here": status takes no argument.'],
  [['status', '--local=here'], 'For example: --local 8787'],
  [['status', '--local', '8787', '--region', 'eu-central-1'], 'Give one or the other.'],
  [['watch', '--every', '0', '--local'], 'must be a number from 1 to 3600'],
  [['cost', '--keys', '10'], "required option '--refused <M>' not specified"],
  [['cost', '--keys', '1e3', '--refused', '0'], 'For example: --keys 1'],
  [['cost', '--keys', '1.5', '--refused', '0'], 'must be a whole number'],
  [['smoke'], "missing required argument 'URL'"],
])('%j exits with 2 and an error message, without a request', async (args, sentence) => {
  const { code, out, errors } = await issuer(args, {
    client: { endpoint: 'http://127.0.0.1:1' },
    fetch: () => Promise.reject(new Error('a request was sent')),
  });

  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(errors).toContain(sentence);
});

it('if no local stack is running, says how to start one', async () => {
  expect(await issuer(['status', '--local', '1'])).toEqual({
    code: 1,
    out: '',
    errors: 'No local stack is running on port 1. To start one: PORT=1 npm start\n',
  });
});

describe('after an option with an optional value, or several values, other words are arguments of the command', () => {
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
    // The arguments were parsed as intended: only the stack is missing.
    expect(await issuer(args)).toMatchObject({
      code: 1,
      errors: `No local stack is running on port ${port}. To start one: PORT=${port} npm start\n`,
    });
  });

  it('an option of that kind must declare the form of its values', () => {
    expect(() => new StrictCommand('x').option('--to [PLACE]', 'where')).toThrow(
      'use OptionWithForm to declare their form',
    );
    expect(() => new StrictCommand('x').option('--all <PLACES...>', 'where')).toThrow(
      'use OptionWithForm to declare their form',
    );
  });
});
