import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import test from 'ava';
import { writeCredentials } from '#src/start/credentials.ts';
import { welcome } from '#src/start/welcome.ts';

const credentials = {
  base_url: 'http://127.0.0.1:8080',
  console_url: 'http://127.0.0.1:8080/',
  workspace_id: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11',
  number_id: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c12',
  number: '07000000000',
  number_key: 'gw_live_key',
  admin_token: 'gw_admin_token',
  file: '/a folder/dev-credentials.json',
};

const printed = welcome(credentials, 'simulator', 1_234, true);

/** What a shell makes of the printed commands: the arguments of each. */
const argumentsOf = async (commands: string): Promise<string[][]> => {
  const tells = '{ for argument; do printf "%s\\0" "$argument"; done; printf "\\n"; }';
  const programs = `curl() ${tells}\nnpm() ${tells}`;
  const { stdout } = await promisify(execFile)('sh', ['-c', `${programs}\n${commands}`]);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\0').slice(0, -1));
};

test('a shell understands the printed commands as they are meant', async (t) => {
  const commands = printed
    .split('\n')
    .filter((line) => line.startsWith('    '))
    .join('\n');
  const [calling, placing = [], reading, ...others] = await argumentsOf(commands);
  t.deepEqual(others, []);
  t.deepEqual(calling, ['run', 'call', '--', '01000000001', '내일 오후 3시 예약을 확인해 주세요']);
  t.deepEqual(placing.slice(0, -1), [
    '-s',
    'http://127.0.0.1:8080/api/v1/calls',
    '-H',
    'Authorization: Bearer gw_live_key',
    '-H',
    'Content-Type: application/json',
    '-d',
  ]);
  t.deepEqual(JSON.parse(placing.at(-1) ?? ''), {
    to: '01000000001',
    instruction: '내일 오후 3시 예약을 확인해 주세요',
  });
  t.deepEqual(reading, [
    '-s',
    'http://127.0.0.1:8080/api/v1/calls/CALL_ID/transcript',
    '-H',
    'Authorization: Bearer gw_live_key',
  ]);
});

test('a link signs in, on a terminal alone; elsewhere a command prints one', (t) => {
  const link = 'http://127.0.0.1:8080/#/sign-in/code';
  t.regex(welcome(credentials, 'simulator', 1_234, true, link), /\n  Sign in +http:\S+\/#\/sign-in\/code\n/);
  t.regex(printed, /\n  Sign in +npm run admin -- sign-in-link\n/);
});

test('the time of the start, the number and the file are told, the admin token is not', (t) => {
  t.regex(printed, /ready \(1\.2 s\)/);
  t.regex(printed, /Your number +07000000000\n/);
  t.regex(printed, /All of this +\/a folder\/dev-credentials\.json\n/);
  t.false(printed.includes('gw_admin_token'));
});

test('where no terminal is, the key is not printed: the commands read it from the file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "trunkline's welcome-"));
  t.teardown(() => rm(folder, { recursive: true }));
  const { file } = await writeCredentials(folder, credentials);
  const collected = welcome({ ...credentials, file }, 'simulator', 1_234, false);
  t.false(collected.includes(credentials.number_key));
  t.true(collected.includes(file));
  const commands = collected
    .split('\n')
    .filter((line) => line.startsWith('    '))
    .join('\n');
  for (const command of (await argumentsOf(commands)).filter(([first]) => first === '-s'))
    t.true(command.includes('Authorization: Bearer gw_live_key'), command.join(' '));
});

test('with real lines it promises nothing, and calls nobody by a pasted command', (t) => {
  const real = welcome(credentials, 'drachtio', 1_234, true);
  t.notRegex(real, /nothing is charged|simulated|01000000001/);
  t.regex(real, /which your trunk may charge for/);
  t.regex(real, /"to": "NUMBER"/);
  t.regex(real, /npm run call -- NUMBER "/);
  t.regex(printed, /nothing is charged/);
  t.regex(welcome(credentials, 'none', 1_234, true), /places no calls/);
});
