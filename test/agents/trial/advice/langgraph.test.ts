/** Advice about servers of LangGraph. */
import test from 'ava';
import { advises, recorded } from './advised.ts';

const langgraph = { type: 'langgraph', url: 'http://127.0.0.1:2024' } as const;

const run = '/threads/5f1c8e52-6c6a-4a0e-8f1e-0a1b2c3d4e5f/runs/stream';

const thread = { ...recorded('langgraph', '01a-thread-create'), path: '/threads' };

test(
  'langgraph: an unknown assistant',
  advises,
  { ...langgraph, answers: [thread, { ...recorded('langgraph', '07-unknown-assistant'), path: run }] },
  /no assistant "graph".*langgraph\.json/,
);

test(
  'langgraph: an unknown assistant in Python',
  advises,
  {
    ...langgraph,
    answers: [
      thread,
      { status: 422, path: run, body: `{"detail":"Invalid assistant: 'x'. Must be either:"}` },
    ],
  },
  /no assistant "graph"/,
);

test(
  'langgraph: no assistant ID',
  advises,
  {
    ...langgraph,
    binding: { assistantId: null },
    answers: [{ ...recorded('langgraph', '26b-missing-assistant'), path: run }],
  },
  /no assistant ID/,
);

test(
  'langgraph: a path too many',
  advises,
  {
    type: 'langgraph',
    url: 'http://127.0.0.1:2024/api',
    answers: ['/threads', run].map((path) => ({
      ...recorded('langgraph', '26e-base-path-mistake'),
      path,
    })),
  },
  /does not know \/api\/threads.*base/,
);

test(
  'langgraph: another server',
  advises,
  { ...langgraph, answers: [{ ...recorded('langgraph', '26d-unknown-path'), path: run }] },
  /port 2024/,
);

test(
  'langgraph: a busy thread, also when the run was cancelled at last',
  advises,
  {
    ...langgraph,
    answers: [
      thread,
      { ...recorded('langgraph', '20b-concurrent-second-rejected'), path: run },
      { status: 404, body: 'Run not found', path: '/threads/x/runs/y/cancel' },
    ],
  },
  /thread is busy/,
);

test(
  'langgraph: the key of its cloud',
  advises,
  {
    ...langgraph,
    answers: [{ status: 403, body: '{"detail":"Missing authentication headers"}', path: run }],
  },
  /x-api-key/,
);

test(
  'langgraph: an interrupt that is told',
  advises,
  {
    ...langgraph,
    failure: null,
    answers: [thread, { ...recorded('langgraph', 'SYNTHETIC-python-interrupt'), path: run }],
  },
  /waits for a person/,
);

test(
  'langgraph: a silent run',
  advises,
  { ...langgraph, failure: null, answers: [thread, { ...recorded('langgraph', '12-interrupt'), path: run }] },
  /without an AI message.*interrupt\(\)/,
);

test(
  'langgraph: a failed node',
  advises,
  { ...langgraph, failure: 'agent_reported_error', answers: [thread] },
  /node of the graph failed/,
);

test(
  'langgraph: a run that begins late',
  advises,
  { ...langgraph, failure: 'first_token_timeout', answers: [{ status: 200, body: '', path: run }] },
  /ten runs at a time/,
);
