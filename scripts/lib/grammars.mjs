// tree-sitter and its grammars, copied out of their packages: they are loaded as files, each when it is first needed.
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** Commands are read with these, by src/core/approval/commands/grammars.ts; bash is among the languages, too. */
const COMMAND_GRAMMARS = [
  '@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm',
  '@vscode/tree-sitter-wasm/wasm/tree-sitter-powershell.wasm',
];

/**
 * Copies them into `target` and returns the packages' folders, relative to the root, for the notices.
 * @param {string} root the repository
 * @param {string} target
 * @returns {Promise<string[]>}
 */
export async function copyGrammars(root, target) {
  const listed = await readFile(join(root, 'src', 'services', 'definitions', 'grammars.json'), 'utf8');
  const grammars = /** @type {Record<string, string>} */ (JSON.parse(listed));
  const modules = ['web-tree-sitter/web-tree-sitter.wasm', ...Object.values(grammars), ...COMMAND_GRAMMARS];
  await mkdir(join(root, target), { recursive: true });
  for (const module of modules)
    await copyFile(join(root, 'node_modules', module), join(root, target, basename(module)));
  return [
    ...new Set(modules.map((module) => `node_modules/${/^(?:@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? module}`)),
  ];
}
