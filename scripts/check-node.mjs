/**
 * `npm ci` runs it last, as the script "prepare". With a Node that is too old, npm leaves out packages that the tests need, and does
 * not say so. From npm 10.9 on, "devEngines" in package.json stops such an installation at once; the npm of an older Node does not
 * know it. This file is JavaScript, because an older Node runs no TypeScript.
 */

// Scripts run on the project's own Node. The one that runs npm is in npm's user agent: `npm/10.8.2 node/v18.20.8 linux x64 …`.
const agent = process.env['npm_config_user_agent'] ?? '';
const [, version, major, minor] = /\bnode\/v((\d+)\.(\d+)\.\d+)/.exec(agent) ?? [];

if (version !== undefined && !isSupported(Number(major), Number(minor))) {
  console.error(
    `Node ${version} is not supported: this project needs Node 20 (20.19 or later) or Node 22.12 or later. For example: nvm install 24 && npm ci`,
  );
  process.exitCode = 1;
}

/** The same versions as "engines" in package.json. */
function isSupported(major, minor) {
  return (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
}
