/** The other party of a real call, played by sipp or baresip. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ownPort, ownRange } from './ports.ts';
import { endProcess, start } from './sip-servers.ts';
import type { Audio } from '#sip/audio/speech.ts';
import type { TrunkCodec } from '#src/domain/trunk.ts';
import { loopbackCertificate } from '#test/helpers/loopback-certificate.ts';
import { startSipp } from './start-sipp.ts';
import { sayInTones } from './tone-speech.ts';
import { readWave, waveFile, type Wave } from './wave.ts';

export type FarEndProcess = {
  child: ChildProcess;
  port: number;
  logFile: string;
  close(): Promise<void>;
};

/** The scenarios that sipp can play: one file in `far-ends` each. */
export type Scenario =
  | 'silent'
  | 'unattended'
  | 'busy'
  | 'declining'
  | 'unknown-number'
  | 'dialling'
  /** A far end like `silent` that echoes every media packet, digits included. */
  | 'echoing'
  | 'leaving'
  | 'late-answer'
  /** A far end like `silent` whose audio is sent to an `EarAndMouth`. */
  | 'speaking';

let count = 0;

type SippOptions = {
  /** Number of calls after which sipp exits, with 0 if they went as in the scenario; by default it keeps running. */
  calls?: number;
  /** Where a `speaking` far end has its audio. */
  ear?: number;
};

const tryToStart = async (
  scenario: Scenario,
  folder: string,
  { calls, ear }: SippOptions,
): Promise<FarEndProcess | { error: string }> => {
  const port = await ownPort();
  const rtpPort = await ownPort(4);
  count += 1;
  const logFile = join(folder, `sipp-${scenario}-${count}.log`);
  const name = scenario === 'echoing' ? 'silent' : scenario;
  const file = fileURLToPath(new URL(`far-ends/${name}.xml`, import.meta.url));
  const child = await startSipp(
    [
      ['-sf', file],
      scenario === 'echoing' ? ['-rtp_echo'] : [],
      calls === undefined ? [] : ['-m', String(calls)],
      ear === undefined ? [] : ['-key', 'ear', String(ear)],
    ].flat(),
    { port, rtpPort },
    logFile,
  );
  return child.exitCode === null
    ? { child, port, logFile, close: () => endProcess(child) }
    : { error: await readFile(logFile, 'utf8') };
};

/** A far end by sipp. */
export const startFarEnd = async (
  scenario: Scenario,
  folder: string,
  options: SippOptions = {},
): Promise<FarEndProcess> => {
  for (let tries = 1; ; tries += 1) {
    const farEnd = await tryToStart(scenario, folder, options);
    if (!('error' in farEnd)) return farEnd;
    if (tries === 3) throw new Error(`sipp did not start: ${farEnd.error}`);
  }
};

export type Telephone = FarEndProcess & {
  /** Waits until the far end has hung up and returns the received audio. */
  heard(): Promise<Wave>;
  log(): Promise<string>;
  /** The file to which it writes what it hears, packet by packet; waits until it exists. */
  recording(): Promise<string>;
  /** One of baresip's own commands, such as `hold`. */
  tell(command: string): Promise<void>;
};

type TelephoneOptions = {
  dial?: string;
  from?: string;
  seconds: number;
  /** Texts that it speaks in tones, this long after the answer. */
  says?: readonly { afterMs: number; text: string }[];
  /**
   * Audio that replaces the words from the beginning of the call on, at the rate of its codec because baresip
   * resamples badly.
   */
  plays?: Audio;
  /** Codecs, offered and accepted in this order; by default those of telephones. */
  codecs?: readonly TrunkCodec[];
  /** Requires encrypted audio; `optional`: only if the other side encrypts as well. */
  srtp?: boolean | 'optional';
  /** Accepts calls over TLS, too, at the next port. */
  tls?: boolean;
};

/** Codec names in its notation: with the audio rate, which for G.722 is not that of the RTP clock. */
const codecNames: Readonly<Record<TrunkCodec, string>> = {
  PCMU: 'PCMU/8000/1',
  PCMA: 'PCMA/8000/1',
  G722: 'G722/16000/1',
  opus: 'opus/48000/2',
};

const encryptions: Readonly<Record<string, string>> = {
  true: ';mediaenc=srtp-mand',
  optional: ';mediaenc=srtp',
};

type Ports = { port: number; controlPort: number; rtpPort: number };

/** Files that baresip reads at its start: its words, its account, and its configuration. */
const furnish = async (
  home: string,
  options: TelephoneOptions,
  { port, controlPort, rtpPort }: Ports,
): Promise<void> => {
  await mkdir(home, { recursive: true });
  const words = new Int16Array(8_000 * options.seconds);
  for (const { afterMs, text } of options.says ?? []) words.set(sayInTones(text), 8 * afterMs);
  const { samples, sampleRate } = options.plays ?? { samples: words, sampleRate: 8_000 };
  await writeFile(join(home, 'words.wav'), waveFile(samples, sampleRate));
  const codecs = (options.codecs ?? ['PCMU', 'PCMA']).map((codec) => codecNames[codec]).join();
  await writeFile(
    join(home, 'accounts'),
    `<sip:${options.from ?? '01099998888'}@127.0.0.1:${port}>;regint=0;answermode=auto;audio_codecs=${codecs}${encryptions[String(options.srtp)] ?? ''}\n`,
  );
  await writeFile(join(home, 'contacts'), '');
  const certificate = join(home, 'certificate.pem');
  await writeFile(certificate, `${loopbackCertificate.key}\n${loopbackCertificate.cert}\n`);
  await writeFile(
    join(home, 'config'),
    [
      `sip_listen 127.0.0.1:${port}`,
      ...(options.tls === true ? [`sip_certificate ${certificate}`] : []),
      `audio_source aufile,${join(home, 'words.wav')}`,
      'audio_player aubridge,nowhere',
      'audio_alert aubridge,nowhere',
      `snd_path ${home}`,
      `ausrc_srate ${sampleRate}`,
      `auplay_srate ${sampleRate}`,
      'ausrc_channels 1',
      'auplay_channels 1',
      'audio_buffer 20-160',
      `rtp_ports ${rtpPort}-${rtpPort + 20}`,
      'jitter_buffer_delay 1-10',
      // With the default of 28000 for both channels, a pure tone is distorted; the other side may request less.
      'opus_bitrate 96000',
      // baresip ignores the name of the loopback interface.
      'net_interface 127.0.0.1',
      'module_path /usr/lib/baresip/modules',
      ...['g711.so', 'g722.so', 'opus.so', 'sndfile.so', 'aufile.so', 'aubridge.so', 'srtp.so'].map(
        (name) => `module ${name}`,
      ),
      'module_tmp uuid.so',
      'module_tmp account.so',
      'module_app menu.so',
      'module_app ctrl_tcp.so',
      `ctrl_tcp_listen 127.0.0.1:${controlPort}`,
      '',
    ].join('\n'),
  );
};

const tryToStartTelephone = async (
  folder: string,
  options: TelephoneOptions,
): Promise<Telephone | { error: string }> => {
  const port = await ownPort(2);
  const controlPort = await ownPort();
  count += 1;
  const home = join(folder, `telephone-${count}`);
  await furnish(home, options, { port, controlPort, rtpPort: (await ownRange(22)).from });
  const logFile = join(home, 'baresip.log');
  const dialing = options.dial === undefined ? [] : ['-e', `/dial ${options.dial}`];
  const child = start('baresip', ['-4', '-f', home, '-t', String(options.seconds), ...dialing], logFile);
  const log = (): Promise<string> => readFile(logFile, 'utf8');
  const says = async (sign: RegExp, atMostMs: number): Promise<boolean> => {
    const end = Date.now() + atMostMs;
    for (;;) {
      const isLastLook = Date.now() > end || child.exitCode !== null;
      if (sign.test(await log().catch(() => ''))) return true;
      if (isLastLook) return false;
      await delay(50);
    }
  };
  if (!(await says(/baresip is ready/, 30_000))) {
    await endProcess(child);
    return { error: await log() };
  }
  const findRecording = async (): Promise<string | undefined> => {
    const file = (await readdir(home)).find((name) => /^dump-.*-dec\.wav$/.test(name));
    return file && join(home, file);
  };
  return {
    child,
    port,
    logFile,
    log,
    async recording() {
      for (;;) {
        const file = await findRecording();
        if (file !== undefined) return file;
        if (child.exitCode !== null) throw new Error(`nothing was heard: ${await log()}`);
        await delay(20);
      }
    },
    async tell(command) {
      const socket = connect(controlPort, '127.0.0.1');
      const message = JSON.stringify({ command });
      socket.write(`${message.length}:${message},`);
      await once(socket, 'data');
      socket.destroy();
    },
    async heard() {
      if (!(await says(/session closed|terminated/i, options.seconds * 1_000)))
        throw new Error(`the telephone never hung up: ${await log()}`);
      await endProcess(child);
      const file = await findRecording();
      if (file === undefined) throw new Error(`nothing was heard: ${await log()}`);
      return readWave(await readFile(file));
    },
    close: () => endProcess(child),
  };
};

/**
 * A baresip telephone that records everything and speaks its text: it answers by itself, or calls `dial`. The telephone
 * exits after the given number of seconds at the latest.
 */
export const startTelephone = async (folder: string, options: TelephoneOptions): Promise<Telephone> => {
  for (let tries = 1; ; tries += 1) {
    const telephone = await tryToStartTelephone(folder, options);
    if (!('error' in telephone)) return telephone;
    if (tries === 5) throw new Error(`baresip did not start: ${telephone.error}`);
  }
};
