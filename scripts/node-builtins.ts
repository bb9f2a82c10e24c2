/**
 * How a bundle gets at Node's own modules. An import statement reads every export there is, to copy it: `node:process`
 * opens stdin, and `node:http` loads a WebSocket, and for it all of undici, some 25 ms. Taken as an object, a module does
 * only what it is asked for.
 */
import type { Plugin } from 'esbuild';

export const nodeBuiltins: Plugin = {
  name: 'node-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'builtin' }));
    onLoad({ filter: /^node:/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
  },
};
