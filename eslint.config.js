import tseslint from 'typescript-eslint';
import importX from 'eslint-plugin-import-x';

/** The dependency rule of docs/architecture.md: what a room may not import. */
const rooms = ['shared', 'core', 'providers', 'services', 'hosts', 'frontends'];
const mayImport = {
  shared: [],
  services: ['shared'],
  core: ['shared', 'services'],
  providers: ['shared', 'core/provider'],
  hosts: ['shared', 'services', 'core/host', 'core/provider'],
  frontends: ['shared', 'core'],
};
const entries = ['./src/extension.ts', './src/main.ts', './src/main'];
const zones = Object.entries(mayImport).flatMap(([room, allowed]) =>
  rooms
    .filter((other) => other !== room && !allowed.includes(other))
    .map((other) => ({
      target: `./src/${room}`,
      from: `./src/${other}`,
      except: allowed
        .filter((path) => path.startsWith(`${other}/`))
        .map((path) => `./${path.slice(other.length + 1)}`),
      message: `src/${room} may import only: ${allowed.join(', ') || 'nothing'}`,
    })),
);
zones.push({
  target: './webview-ui/src',
  from: './src',
  except: ['./shared'],
  message: 'the webview imports src/shared only',
});
for (const room of rooms)
  for (const from of entries)
    zones.push({ target: `./src/${room}`, from, message: 'entries are imported by nobody' });

const noVscode = {
  'no-restricted-imports': [
    'error',
    { paths: [{ name: 'vscode', message: 'vscode lives in extension.ts, hosts/vscode, frontends/vscode' }] },
  ],
};

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'test/e2e/results/', 'coverage/'] },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    plugins: { 'import-x': importX },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'import-x/no-restricted-paths': ['error', { basePath: import.meta.dirname, zones }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/no-deprecated': [
        'error',
        {
          // Servers that speak only the old transport, and ask the model themselves, will be there for years.
          allow: [
            {
              from: 'package',
              package: '@modelcontextprotocol/client',
              name: ['SSEClientTransport', 'CreateMessageRequest', 'CreateMessageResult'],
            },
          ],
        },
      ],
      'no-console': 'error',
      'no-empty': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/extension.ts', 'src/hosts/vscode/**', 'src/frontends/vscode/**'],
    rules: noVscode,
  },
  { files: ['webview-ui/**/*.{ts,tsx}'], rules: noVscode },
  {
    // Mocha's and assert's own shapes: `describe` callbacks and `assert.rejects` in tests.
    files: ['test/**/*.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off', 'no-console': 'off' },
  },
);
