/** The meaning of settings together. */
import test from 'ava';
import { readConfig } from '#config/config.ts';
import { databaseUrl, engineSettings, masterKey, storeSettings } from './expected-setting.ts';
import { read, refused } from './read.ts';

test('a wrong value is shown as it is, on one line', (t) => {
  t.is(refused({ GW_PORT: '80\n80' }), 'GW_PORT must be a whole number from 0 to 65535 (it is "80\\n80")');
});

test('the master key is required with a configured database', (t) => {
  t.regex(refused({ GW_DATABASE_URL: databaseUrl }), /^GW_MASTER_KEY is required with GW_DATABASE_URL: /);
  t.notRegex(refused({ GW_DATABASE_URL: databaseUrl }), /hush-hush|\n/);
});

test('real lines may do with the trunks of the workspaces, and simulated ones know none', (t) => {
  t.is(read({ GW_LINES: 'drachtio' }).realLines?.trunkAddress, null);
  t.is(read({ GW_TRUNK: 'sip.example' }).realLines, null);
});

test('a language model has an address and a name', (t) => {
  t.is(read().languageModel, null);
  t.regex(refused({ GW_LLM_BASE_URL: 'https://models.example/v1' }), /^GW_LLM_MODEL is required with /);
  t.regex(refused({ GW_LLM_MODEL: 'small' }), /^GW_LLM_BASE_URL is required with /);
  t.regex(refused({ GW_LLM_API_KEY: 'hush-hush' }), /^GW_LLM_BASE_URL is required with (?!.*hush)/);
});

test('a store for recordings is whole, or there is none', (t) => {
  t.is(read().recordings.store, null);
  for (const name of Object.keys(storeSettings)) {
    const message = refused({ ...storeSettings, [name]: '' });
    t.regex(message, new RegExp(`^.*${name}.* required `));
    t.notRegex(message, /hush-hush|\n/);
  }
});

test('an engine without its key or address stops the start', (t) => {
  const needs: Record<string, [string, ...string[]]> = {
    GW_DEEPGRAM_API_KEY: ['GW_RECOGNIZERS', 'deepgram'],
    GW_VOSK_URL: ['GW_RECOGNIZERS', 'vosk'],
    GW_WHISPER_URL: ['GW_RECOGNIZERS', 'whisper-cpp'],
    GW_SPEECH_BASE_URL: ['GW_RECOGNIZERS', 'openai-transcription'],
    GW_ELEVENLABS_VOICE: ['GW_SYNTHESIZERS', 'elevenlabs'],
    GW_ELEVENLABS_API_KEY: ['GW_SYNTHESIZERS', 'elevenlabs'],
  };
  for (const [name, [setting, engine = '']] of Object.entries(needs)) {
    const others = { ...engineSettings, [name]: '', [setting]: engine };
    t.is(refused(others), `${name} is required with the engine ${engine}`);
  }
  for (const engine of ['deepgram-aura', 'openai-speech'])
    t.regex(
      refused({ GW_SYNTHESIZERS: engine }),
      new RegExp(`^GW_\\w+ is required with the engine ${engine}$`),
    );
});

test('agents on this machine are allowed with the embedded database alone, unless said otherwise', (t) => {
  const configured = { GW_DATABASE_URL: databaseUrl, GW_MASTER_KEY: masterKey };
  t.false(read(configured).agentAllowLoopback);
  t.true(read({ ...configured, GW_AGENT_ALLOW_LOOPBACK: '1' }).agentAllowLoopback);
});

test('a terminal gets a log for people', (t) => {
  t.is(readConfig({}, true).logFormat, 'pretty');
  t.is(readConfig({ GW_LOG_FORMAT: 'json' }, true).logFormat, 'json');
});

test('mistyped settings are listed, others of the environment are not', (t) => {
  const { unknownNames } = read({
    GW_PROT: '1',
    GW_PORT: '1',
    PORT: '2',
    GW_LOG_LEVELS: 'info',
    GW_EMPTY: '',
  });
  t.deepEqual(unknownNames, ['GW_PROT', 'GW_LOG_LEVELS']);
});

test('a configuration cannot be changed', (t) => {
  t.true(Object.isFrozen(read()));
});
