import type { Credentials } from './credentials.ts';
import { isIP } from 'node:net';
import { dirname, resolve } from 'node:path';
import type { Config } from '#config/config.ts';

const loopback = /^(localhost|127\.[\d.]{1,11}|::1|::ffff:127\.[\d.]{1,11})$/i;

/**
 * Returns a warning if a trial start listens on an address that other machines can reach; undefined otherwise. A
 * gateway with a configured database is a server and is meant to be reachable.
 */
export const exposureWarning = ({
  host,
  databaseUrl,
}: Pick<Config, 'host' | 'databaseUrl'>): string | undefined => {
  if (databaseUrl !== null || loopback.test(host)) return undefined;
  const where = isIP(host) === 0 ? host : `the address ${host}`;
  return `the gateway listens on ${where} (GW_HOST), where other machines can reach it without encryption: anyone with a key from dev-credentials.json can place calls`;
};

/**
 * Sentence that introduces the example call, and the example number. The sentence for real lines warns that calls cost
 * money and reach people.
 */
const firstCall = {
  simulator: {
    title: 'Place a call (the callee is simulated, nothing is charged), in another terminal:',
    to: '01000000001',
  },
  drachtio: {
    title: 'Place a call (a real one, which your trunk may charge for: write the number to call):',
    to: 'NUMBER',
  },
  none: { title: 'This gateway places no calls (GW_LINES=none); another one would by:', to: 'NUMBER' },
} as const;

/** Shell command that sets the variables of `npm run credentials` from this file. */
const setVariables = (file: string): string => {
  const folder = dirname(file);
  const isUsual = folder === resolve('.data');
  const setFolder = isUsual ? '' : `GW_DATA_DIR='${folder.replaceAll("'", String.raw`'\''`)}' `;
  return `eval "$(${setFolder}npm run --silent credentials)"`;
};

/**
 * Returns the Authorization header of the printed commands, and the lines before the first one. On a terminal the header
 * contains the key. Elsewhere output may be logged, so the shell reads the key from the credentials file.
 */
export const bearerHeader = (
  { number_key, file }: Credentials,
  isTerminal: boolean,
): { header: string; before: string } =>
  isTerminal
    ? { header: `'Authorization: Bearer ${number_key}'`, before: '' }
    : { header: '"Authorization: Bearer $NUMBER_KEY"', before: `    ${setVariables(file)}\n` };

/** Shell command that prints a sign-in link. */
export const signInCommand = 'npm run admin -- sign-in-link';

const task = '내일 오후 3시 예약을 확인해 주세요';
const englishTask = 'Confirm the reservation of tomorrow at three';

/**
 * Returns the welcome message for a newcomer, printed once when the gateway is ready. Key and sign-in link are printed
 * only on a terminal; elsewhere the commands read the key from the credentials file.
 */
export const welcome = (
  credentials: Credentials,
  lines: keyof typeof firstCall,
  startedInMs: number,
  isTerminal: boolean,
  signInLink?: string,
): string => {
  const { title, to } = firstCall[lines];
  const { base_url, console_url, number, number_key, file } = credentials;
  const { header: bearer, before } = bearerHeader(credentials, isTerminal);
  return `
  Trunkline is ready (${(startedInMs / 1000).toFixed(1)} s).

  Sign in      ${signInLink ?? signInCommand}
               (${signInLink === undefined ? 'prints a link that opens' : 'opens'} the console once, within ten minutes, on this machine)
  Console      ${console_url}
  API          ${base_url}   (reference: ${base_url}/docs)
  Your number  ${number}
  Number key   ${isTerminal ? number_key : 'in the file below'}
  All of this  ${file}

  ${title}

    npm run call -- ${to} "${task}"
    npm run call -- ${to} "${englishTask}" --language en

  The same by the API, and then what was said, with the call_id of the answer:

${before}    curl -s ${base_url}/api/v1/calls \\
      -H ${bearer} \\
      -H 'Content-Type: application/json' \\
      -d '{"to": "${to}", "instruction": "${task}"}'
    curl -s ${base_url}/api/v1/calls/CALL_ID/transcript -H ${bearer}

`;
};
