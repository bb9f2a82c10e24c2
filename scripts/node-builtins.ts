/**
 * Loads Node's own modules as objects. An import statement reads every export of a module to copy it: `node:process` then opens
 * stdin, and `node:http` loads a WebSocket and with it all of undici, some 25 ms. An object loads only the members in use.
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
