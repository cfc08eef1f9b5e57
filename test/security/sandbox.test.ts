import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { message } from '../../src/shared/strings.ts';
import { SandboxBench } from '../support/SandboxBench.ts';

/** Ids of processes, those that are only waited for apart, whose command line holds the text. */
function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text);
      } catch {
        // It ended while we looked.
        return false;
      }
    })
    .map(Number);
}

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  for (let wait = 0; wait < 1000; wait++) {
    if (await what()) return;
    await sleep(20);
  }
  assert.fail(`never: ${what.toString()}`);
}

/** Kept on Linux, by bubblewrap, in every run of the tests. The profile for macOS is in seatbelt.test.ts. */
if (process.platform === 'linux')
  describe('sandbox', function () {
    this.timeout(120_000);
    let bench: SandboxBench;
    beforeEach(async () => {
      bench = new SandboxBench();
      await bench.require();
    });
    afterEach(() => bench.close());

    it('G1 nothing is written outside the workspace, which can be', async () => {
      bench.write('home/notes.txt', 'mine\n');
      const outside = [
        ...[
          bench.base,
          bench.home,
          join(bench.home, 'code'),
          bench.data,
          '/tmp',
          '/var/tmp',
          '/usr',
          '/etc',
          '/opt',
        ],
        ...['/', '/dev/shm', '/run', '/proc/1'],
      ].map((folder) => join(folder, 'lathe-escape'));
      const script = `
        for path in ${outside.join(' ')}; do { mkdir -p "$(dirname $path)"; echo x > $path; } 2>/dev/null; done
        echo changed > ${bench.home}/notes.txt
        ln -s ${bench.home}/notes.txt link; echo changed > link
        echo made > made.txt; mkdir -p deep/er; echo made > deep/er/made.txt`;
      await bench.sh(script);
      assert.deepEqual(
        outside.filter((path) => existsSync(path)),
        [],
      );
      assert.equal(readFileSync(join(bench.home, 'notes.txt'), 'utf8'), 'mine\n');
      assert.equal(bench.read('made.txt'), 'made\n');
      assert.equal(bench.read('deep/er/made.txt'), 'made\n');
    });

    it('G1 a command that only looks cannot write to the workspace either', async () => {
      bench.inWorkspace('a.txt', 'before\n');
      const { exitCode, output } = await bench.sh('cat a.txt; echo x > a.txt; echo x > b.txt', {
        writable: false,
      });
      assert.notEqual(exitCode, 0);
      assert.match(output, /^before\n.*Read-only file system/s);
      assert.equal(bench.read('a.txt'), 'before\n');
      assert.equal(bench.read('b.txt'), undefined);
    });

    it('G2 protected files that are there are not changed, moved, linked or removed', async () => {
      const files = {
        '.git/config': '[core]\n',
        '.git/hooks/pre-commit.sample': '#\n',
        '.vscode/settings.json': '{}\n',
        '.env': 'A=1\n',
        'AGENTS.md': 'rules\n',
        'packages/one/.npmrc': 'a=b\n',
        'packages/one/.git/config': '[core]\n',
      };
      for (const [path, content] of Object.entries(files)) bench.inWorkspace(path, content);
      const script = `
        for path in ${Object.keys(files).join(' ')}; do echo evil > $path; rm -f $path; mv $path moved; ln $path linked-$$; done
        echo evil > .git/hooks/pre-commit
        mkdir -p .git/hooks/more
        mv .git away; mv .vscode away2; rm -rf .git .vscode packages/one/.git
        sed -i s/rules/evil/ AGENTS.md
        chmod +x .git/hooks/pre-commit.sample
        true`;
      const { exitCode, setAside } = await bench.sh(script);
      assert.equal(exitCode, 0);
      assert.equal(setAside, undefined);
      for (const [path, content] of Object.entries(files)) assert.equal(bench.read(path), content, path);
      assert.deepEqual(readdirSync(join(bench.workspace, '.git', 'hooks')), ['pre-commit.sample']);
    });

    it('G2 protected folders that take effect at once cannot be made, and leave no trace', async () => {
      const { output } = await bench.sh(
        'for f in .git .vscode .lathe; do mkdir $f; echo evil > $f/settings.json; rmdir $f; done; ls -A',
      );
      assert.match(output, /\.vscode\/settings\.json: Read-only file system/);
      assert.deepEqual(readdirSync(bench.workspace), []);
      assert.deepEqual(readdirSync(join(bench.data, 'sandbox')), []);
    });

    it('G2 other protected files that a command makes are set aside when it ends', async () => {
      bench.inWorkspace('sub/a.txt');
      const { setAside } = await bench.sh(
        'echo {} > .mcp.json; mkdir -p sub/.git/hooks; echo evil > sub/.git/hooks/pre-commit; ln -s /etc/passwd .envrc; echo fine > b.txt',
      );
      assert.deepEqual(setAside?.paths.toSorted(), ['.envrc', '.mcp.json', 'sub/.git']);
      assert.deepEqual(readdirSync(bench.workspace).toSorted(), ['b.txt', 'sub']);
      assert.deepEqual(readdirSync(join(bench.workspace, 'sub')), ['a.txt']);
      assert.equal(readFileSync(join(setAside.folder, 'sub/.git/hooks/pre-commit'), 'utf8'), 'evil\n');
      assert.equal(readlinkSync(join(setAside.folder, '.envrc')), '/etc/passwd');
    });

    it('G2 a protected name that is a link points where it did', async () => {
      bench.inWorkspace('config/settings.json', '{}\n');
      symlinkSync('config', join(bench.workspace, '.idea'));
      const { setAside } = await bench.sh('rm .idea; mkdir .idea; echo evil > .idea/workspace.xml');
      assert.deepEqual(setAside?.paths, ['.idea']);
      assert.equal(readlinkSync(join(bench.workspace, '.idea')), 'config');
      assert.equal(readFileSync(join(setAside.folder, '.idea/workspace.xml'), 'utf8'), 'evil\n');
    });

    it('G2 what a crash left behind goes with the next start', async () => {
      const bystander = bench.inWorkspace('.vscode/settings.json', '{}\n');
      mkdirSync(join(bench.workspace, '.lathe'));
      const gone = spawn('true', { stdio: 'ignore' });
      await once(gone, 'exit');
      bench.write(
        `home/.local/share/lathe/sandbox/placeholders-x/${gone.pid ?? 0}.json`,
        JSON.stringify([join(bench.workspace, '.lathe'), join(bench.workspace, '.vscode')]),
      );
      await bench.sh('true');
      assert.deepEqual(readdirSync(bench.workspace), ['.vscode']);
      assert.equal(existsSync(bystander), true);
      assert.deepEqual(readdirSync(join(bench.data, 'sandbox')), []);
    });

    it('G3 secrets of the person, other projects and our own data are not there', async () => {
      const secrets = {
        'home/.ssh/id_ed25519': 'CANARY-ssh',
        'home/.aws/credentials': 'CANARY-aws',
        'home/.config/gh/hosts.yml': 'CANARY-gh',
        'home/.npmrc': 'CANARY-npm',
        'home/.cargo/credentials.toml': 'CANARY-cargo',
        'home/.m2/settings.xml': 'CANARY-m2',
        'home/.bash_history': 'CANARY-history',
        'home/code/other/.env': 'CANARY-other',
        'home/.local/share/lathe/settings.json': 'CANARY-own',
      };
      for (const [path, content] of Object.entries(secrets)) bench.write(path, content);
      bench.write('home/.cargo/registry/index.txt', 'packages');
      const { output } = await bench.sh(
        `cat ${Object.keys(secrets)
          .map((path) => join(bench.base, path))
          .join(
            ' ',
          )} /etc/shadow /proc/1/environ; grep -rs CANARY / --include=* --exclude-dir=proc --exclude-dir=usr --exclude-dir=opt; ls -A ~`,
      );
      assert.doesNotMatch(output, /CANARY/);
      assert.doesNotMatch(output, /root:[*$!]/);
    });

    it('G3 what an ignore file hides, and secrets of programs that only look, cannot be read', async () => {
      bench.inWorkspace('hidden/key.txt', 'CANARY-one');
      bench.inWorkspace('plan.txt', 'CANARY-two');
      bench.inWorkspace('seen.txt', 'seen\n');
      const { output } = await bench.sh('cat seen.txt plan.txt hidden/key.txt; grep -r CANARY .', {
        classify: (path) => (path === 'hidden' || path === 'plan.txt' ? 'hidden' : undefined),
      });
      assert.match(output, /^seen\n/);
      assert.doesNotMatch(output, /CANARY/);
    });

    it('G4 no packet, name or socket leaves it', async () => {
      let connections = 0;
      const server = createServer((socket) => {
        connections++;
        socket.destroy();
      }).listen(0, '127.0.0.1');
      const local = createServer(() => connections++).listen(join(bench.base, 'host.sock'));
      await Promise.all([once(server, 'listening'), once(local, 'listening')]);
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      const script = `
        const net = require('net'), dns = require('dns'), dgram = require('dgram');
        const said = [];
        const reach = (options) => new Promise((done) => net.connect(options).on('error', (error) => done(error.code)).on('connect', () => done('CONNECTED')));
        (async () => {
          said.push(await reach({ port: ${port}, host: '127.0.0.1' }));
          said.push(await reach({ port: 80, host: '1.1.1.1' }));
          said.push(await reach({ port: 443, host: '2606:4700:4700::1111' }));
          said.push(await reach({ path: '${join(bench.base, 'host.sock')}' }));
          said.push(await new Promise((done) => dns.lookup('example.com', (error) => done(error ? 'NO-NAME' : 'NAME'))));
          said.push(await new Promise((done) => dgram.createSocket('udp4').send('x', 53, '1.1.1.1', (error) => done(error ? error.code : 'SENT'))));
          said.push(Object.keys(require('os').networkInterfaces()).join());
          console.log(said.join(' '));
          process.exit();
        })();`;
      const node = [{ argv: ['node', '-e', script], redirects: [], joint: undefined }];
      const { output } = await bench.run(node);
      assert.equal(output, 'ECONNREFUSED ENETUNREACH ENETUNREACH ENOENT NO-NAME ENETUNREACH lo\n');
      assert.equal(connections, 0);
      // The person may allow it.
      const open = await bench.run(
        [
          {
            argv: [
              'node',
              '-e',
              `require('net').connect(${port}, '127.0.0.1').on('connect', () => { console.log('connected'); process.exit(); })`,
            ],
            redirects: [],
            joint: undefined,
          },
        ],
        { network: true },
      );
      assert.equal(open.output, 'connected\n');
      server.close();
      local.close();
    });

    it('G5 no secret of the environment is visible', async () => {
      bench.close();
      bench = new SandboxBench({
        environment: {
          ...process.env,
          API_KEY: 'CANARY',
          LATHE_API_KEY: 'CANARY',
          NODE_OPTIONS: '--require CANARY',
          SSH_AUTH_SOCK: '/CANARY',
          LD_PRELOAD: 'CANARY.so',
          LANG: 'C.UTF-8',
        },
      });
      const { output } = await bench.sh('env; cat /proc/self/environ /proc/1/environ');
      assert.match(output, /^LANG=C\.UTF-8$/m);
      assert.doesNotMatch(output, /CANARY/);
      const names = output.split('\n').flatMap((line) => /^([A-Z_]+)=/.exec(line)?.[1] ?? []);
      const known =
        /^(HOME|PATH|PWD|OLDPWD|SHLVL|_|SHELL|TMPDIR|TERM|NO_COLOR|PAGER|LANG|LANGUAGE|LC_[A-Z]+|TZ|COLORTERM|GIT_[A-Z_]+)$/;
      assert.deepEqual(
        names.filter((name) => !known.test(name)),
        [],
      );
    });

    it('G6 no process is left when it ends, is stopped, or is killed with its host', async () => {
      const mark = `lathe-survivor-${process.pid}`;
      const children = `
        (exec -a ${mark}-a sleep 300) & setsid bash -c 'exec -a ${mark}-b sleep 300' & 
        nohup bash -c 'trap "" TERM INT HUP; exec -a ${mark}-c sleep 300' >/dev/null 2>&1 &`;
      const bash = (script: string) => [{ argv: ['bash', '-c', script], redirects: [], joint: undefined }];

      await bench.run(bash(`${children} sleep 0.2; echo done`));
      assert.deepEqual(processesWith(mark), []);

      const stop = new AbortController();
      const stopped = bench.run(bash(`${children} echo ready; sleep 300`), {
        signal: stop.signal,
        onOutput: (text) => {
          if (text.includes('ready')) stop.abort(new Error('stopped'));
        },
      });
      await assert.rejects(stopped, /stopped/);
      await until(() => processesWith(mark).length === 0);

      // A host that is killed cannot clean up: the kernel does.
      const host = spawn(
        process.execPath,
        [
          '--import',
          'tsx',
          join(import.meta.dirname, '..', 'support', 'sandboxHost.ts'),
          bench.home,
          bench.workspace,
          `${children} echo ready; sleep 300`,
        ],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      await once(host.stdout, 'data');
      await until(() => processesWith(`${mark}-b`).length > 0);
      host.kill('SIGKILL');
      await once(host, 'exit');
      await until(() => processesWith(mark).length === 0);
    });

    it('G7 no namespace is made in it, nothing is mounted, and no right is had', async () => {
      const { output } = await bench.sh(`
        unshare -Ur echo USERNS; unshare -m echo MOUNTNS; unshare -n echo NETNS
        mount -t tmpfs none /tmp && echo MOUNTED; mount --bind / "$PWD" && echo BOUND; umount "$PWD" && echo UNMOUNTED
        mknod dev b 8 0 && echo DEVICE
        grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp)' /proc/self/status`);
      assert.doesNotMatch(output, /^(USERNS|MOUNTNS|NETNS|MOUNTED|BOUND|UNMOUNTED|DEVICE)$/m);
      assert.match(output, /CapEff:\t0000000000000000/);
      assert.match(output, /CapBnd:\t0000000000000000/);
      assert.match(output, /NoNewPrivs:\t1/);
    });

    it('G8 without a sandbox nothing is run', async () => {
      const marker = join(bench.workspace, 'ran');
      const nowhere = new SandboxBench({ environment: { PATH: '/nowhere' } });
      const windows = new SandboxBench({ platform: 'win32' });
      // A bwrap that fails, as where the kernel forbids it.
      const broken = bench.write('bin/bwrap', '#!/bin/sh\necho "bwrap: No permissions" >&2\nexit 1\n', 0o755);
      const refused = new SandboxBench({
        environment: { PATH: `${join(broken, '..')}:${process.env.PATH ?? ''}` },
      });
      try {
        const said = await Promise.all(
          [nowhere, windows, refused].map(async (one) => await one.sandbox.missing(one.workspace)),
        );
        assert.deepEqual(said, [
          message('sandbox.noBubblewrap'),
          message('sandbox.platform'),
          message('sandbox.refused', { reason: 'bwrap: No permissions' }),
        ]);
        for (const one of [nowhere, windows, refused])
          await assert.rejects(one.sh(`echo > ${marker}`), { name: 'SandboxError' });
        assert.equal(existsSync(marker), false);
      } finally {
        for (const one of [nowhere, windows, refused]) one.close();
      }
    });

    it('G8 a workspace that holds the home or our data is none to run in', async () => {
      for (const workspace of [bench.base, bench.home, '/'])
        assert.deepEqual(
          await bench.sandbox.missing(workspace),
          message('sandbox.workspace', { folder: workspace }),
        );
    });

    it('G9 the folder of a command does not move what it may write', async () => {
      bench.inWorkspace('sub/a.txt');
      bench.write('home/code/other/b.txt', 'other\n');
      const inside = await bench.sh('pwd; echo x > c.txt; echo y > ../d.txt', {
        cwd: join(bench.workspace, 'sub'),
      });
      assert.equal(inside.output, `${join(bench.workspace, 'sub')}\n`);
      assert.equal(bench.read('sub/c.txt'), 'x\n');
      assert.equal(bench.read('d.txt'), 'y\n');
      for (const cwd of ['/', bench.home, join(bench.home, 'code', 'other'), '/etc'])
        await bench.sh(`echo evil > escape; echo evil > b.txt; touch ${bench.workspace}/here`, { cwd });
      assert.equal(readFileSync(join(bench.home, 'code/other/b.txt'), 'utf8'), 'other\n');
      assert.deepEqual(
        ['/escape', join(bench.home, 'escape'), '/etc/escape'].filter((path) => existsSync(path)),
        [],
      );
    });

    it('runs the tests of a project with its packages, an empty home, and a toolchain in the home', async () => {
      const project = {
        'package.json': JSON.stringify({
          name: 'one',
          version: '1.0.0',
          scripts: { test: 'tool && node test.js' },
        }),
        'test.js': `console.log(require('dependency'), require('fs').readdirSync(require('os').homedir()).length >= 0); require('http').createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1', function () { fetch('http://127.0.0.1:' + this.address().port).then((answer) => answer.text()).then((text) => { console.log(text); require('fs').writeFileSync('report.txt', text); this.close(); }); });`,
        'node_modules/dependency/index.js': "module.exports = 'a package';",
      };
      for (const [path, content] of Object.entries(project)) bench.inWorkspace(path, content);
      bench.write('home/.nvm/versions/node/v1/bin/tool', '#!/bin/sh\necho a tool of the home\n', 0o755);
      bench.sandbox.dispose();
      const path = `${join(bench.home, '.nvm/versions/node/v1/bin')}:${process.env.PATH ?? ''}`;
      const { exitCode, output } = await bench
        .with({ environment: { ...process.env, PATH: path } })
        .run([{ argv: ['npm', 'test', '--silent'], redirects: [], joint: undefined }]);
      assert.equal(output, 'a tool of the home\na package true\nhello\n');
      assert.equal(exitCode, 0);
      assert.equal(bench.read('report.txt'), 'hello');
    });
  });
