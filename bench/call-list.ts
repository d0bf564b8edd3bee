/**
 * The list of a workspace's calls, its search, and the overview, with 100,000 calls of six turns each from the last
 * ninety days: response time from the request to the last byte, one request at a time. The calls are inserted directly,
 * with the search words that the gateway's own statement computes.
 */
import { newSearch } from '#src/persistence/calls/call-search-words.ts';
import type { Bench } from './bench.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { percentile } from './percentile.ts';

const calls = 100_000;
const repetitions = 40;

/**
 * Words that nearly every call has, words that one in fifty calls has, and a unique name and order number for each
 * call.
 */
const statements = [
  `insert into call (id, workspace_id, number_id, direction, own_number, counterparty, language, status, end_reason,
      instruction, summary, max_duration_sec, recording_enabled, started_at, answered_at, ended_at, duration_sec, node)
    select gen_random_uuid(), $1, $2, case when n % 3 = 0 then 'inbound' else 'outbound' end, '07000000000',
      '010' || lpad((n * 7919 % 100000000)::text, 8, '0'), 'ko',
      case when n % 10 = 0 then 'no_answer' when n % 1000 = 1 then 'failed' else 'completed' end,
      case when n % 10 = 0 then 'busy' when n % 1000 = 1 then 'media_error' else 'agent_hangup' end,
      '내일 오후 3시 예약을 확인해 주세요', '예약 시간을 확인하고 통화를 마쳤습니다.', 600, false, began,
      began + interval '6 seconds', began + interval '60 seconds', 54, 'bench'
    from generate_series(1, ${calls}) as n, lateral (select now() - n * interval '77 seconds' as began) as at
    where $3::int = ${calls}`,
  `insert into call_turn (call_id, sequence, role, text, t_offset_sec, spoken_at, whole)
    select id, turn, case when turn % 2 = 1 then 'assistant' else 'user' end,
      (array[
        '안녕하세요, 예약을 확인해 드리려고 전화드렸습니다.', '네, 말씀하세요. 저는 ' || name || '입니다.',
        '주문 번호는 ' || place || '번이고 내일 오후 세 시로 되어 있습니다.',
        (array['금요일로 옮겨 주세요', '주차가 되나요', '취소할게요', 'Could you repeat that', '창가 자리로 부탁해요'])[1 + place % 5]
          || case when place % 50 = 0 then ' 알레르기가 있어요' else '' end,
        '네, 그렇게 하겠습니다. 더 필요하신 것이 있으신가요?', '아니요, 감사합니다.'])[turn],
      turn * 8, started_at + turn * interval '8 seconds', true
    from (select id, started_at, row_number() over () as place,
        chr(44032 + (random() * 11000)::int) || chr(44032 + (random() * 11000)::int) || chr(44032 + (random() * 11000)::int) as name
      from call) as told, generate_series(1, 6) as turn`,
  `insert into call_fact (call_id, sequence, type, at, data)
    select id, turn, 'turn.spoken', started_at,
      jsonb_build_object('turn', turn, 'latency', jsonb_build_object('endpointingMs', 300, 'firstAudioMs', 200 + turn * 40))
    from call, generate_series(1, 6) as turn`,
] as const;

const questions = {
  'first rows': '',
  'first rows of a reason that one call in a thousand has': '&end_reason=media_error',
  'first rows of a day a month ago': `&last_day=${new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10)}`,
  'oldest first': '&order=oldest',
  'search, a word of every call': '&q=예약',
  'search, a word of one call in fifty': '&q=알레르기',
  'search, a word of one call': '&q=77777번',
  'search, a word of none': '&q=헬리콥터',
  'search, two words': '&q=알레르기 주차',
  'search, a number': '&q=010-0000-7919',
  'search, the end of a number': '&q=7919',
  'search, the beginning of every number': '&q=0101',
  'search, a word of every call, of a rare reason': '&q=예약&end_reason=media_error',
} as const;

export const benchCallList: Bench = async ({ started, print }) => {
  const { url, database, workspaceId, numberId, adminHeaders: headers } = await startGatewayProcess(started);
  const [insertion, ...others] = statements;
  await database.execute(insertion, [workspaceId, numberId, calls]);
  for (const statement of others) await database.execute(statement);
  const from = performance.now();
  await database.execute(`with call_after as (select * from call), ${newSearch} select 1`);
  print(
    'call list',
    `what computing the search words takes: ${((performance.now() - from) / 1_000).toFixed(1)} s`,
  );
  await database.execute('analyze');

  const ask = async (path: string): Promise<number> => {
    const from = performance.now();
    const response = await fetch(`${url}/api/v1/admin/${path}`, { headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return performance.now() - from;
  };
  for (const [name, query] of Object.entries(questions)) {
    const times: number[] = [];
    for (let count = 0; count < repetitions; count += 1) times.push(await ask(`calls?limit=50${query}`));
    print(
      'call list',
      `${name}: p50 ${percentile(times, 0.5).toFixed(0)} ms, p95 ${percentile(times, 0.95).toFixed(0)} ms (aim ${name.startsWith('search') ? '< 300' : '< 100'} ms)`,
    );
  }
  for (const days of [7, 30]) {
    const times: number[] = [];
    for (let count = 0; count < repetitions; count += 1) times.push(await ask(`overview?days=${days}`));
    print(
      'call list',
      `overview of ${days} days: p50 ${percentile(times, 0.5).toFixed(0)} ms, p95 ${percentile(times, 0.95).toFixed(0)} ms (aim < 100 ms)`,
    );
  }
  print('call list', `50,000 calls as CSV: ${((await ask('calls.csv')) / 1_000).toFixed(1)} s`);
};
