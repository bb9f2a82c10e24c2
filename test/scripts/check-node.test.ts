/** What `npm ci` says about the version of Node: nothing if it is supported, one sentence if it is not. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { env, execPath } from 'node:process';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { ROOT, readDocument } from '../support/documentation.ts';

/** @param userAgent what npm passes to scripts; undefined for a script that is run without npm */
function check(userAgent: string | undefined) {
  const { status, stdout, stderr } = spawnSync(execPath, [join(ROOT, 'scripts/check-node.mjs')], {
    env: { ...env, npm_config_user_agent: userAgent },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const userAgentOf = (version: string) => `npm/10.8.2 node/v${version} linux x64 workspaces/false`;

describe('npm ci', () => {
  it.each(['20.19.0', '20.20.2', '22.12.0', '22.23.3', '23.0.0', '24.21.0', '26.0.0'])(
    'says nothing on Node %s',
    (version) => {
      expect(check(userAgentOf(version))).toEqual({ status: 0, stdout: '', stderr: '' });
    },
  );

  it.each(['16.20.2', '18.20.8', '20.18.3', '21.7.3', '22.11.0'])('fails with one sentence on Node %s', (version) => {
    expect(check(userAgentOf(version))).toEqual({
      status: 1,
      stdout: '',
      stderr: `Node ${version} is not supported: this project needs Node 20 (20.19 or later) or Node 22.12 or later. For example: nvm install 24 && npm ci\n`,
    });
  });

  it.each([undefined, '', 'yarn/1.22.22 npm/? linux x64'])(
    'says nothing if it cannot know the version: %j',
    (agent) => {
      expect(check(agent)).toEqual({ status: 0, stdout: '', stderr: '' });
    },
  );

  it('runs the check, and with npm 10.9 or later stops before it downloads anything', () => {
    expect(packageJson.scripts.prepare).toBe('node scripts/check-node.mjs');
    expect(packageJson.devEngines).toEqual({
      runtime: { name: 'node', version: packageJson.engines.node, onFail: 'error' },
    });
  });

  it('names the versions of "engines", as the README does', async () => {
    const { stderr } = check(userAgentOf('18.0.0'));
    for (const lowest of packageJson.engines.node.match(/\d+\.\d+/g) ?? []) {
      expect(stderr).toContain(lowest);
    }
    expect(await readDocument('README.md')).toContain(`You need ${/Node 20[^:]* or later/.exec(stderr)?.[0]}, `);
  });

  it('shows errors and no warnings, with the reason beside the setting', () => {
    const lines = readFileSync(join(ROOT, '.npmrc'), 'utf8').split('\n');
    const at = lines.indexOf('loglevel=error');
    expect(lines[at - 1]).toMatch(/^# .*newer Node/);
  });
});
