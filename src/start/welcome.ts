import type { Credentials } from './credentials.ts';

/** What a newcomer needs, printed once when the gateway is ready. */
export const welcome = (credentials: Credentials, startedInMs: number): string => {
  const { base_url, console_url, number, number_key, file } = credentials;
  return `
  Trunkline is ready (${(startedInMs / 1000).toFixed(1)} s).

  Console      ${console_url}
  API          ${base_url}   (reference: ${base_url}/docs)
  Your number  ${number}
  Number key   ${number_key}
  All of this  ${file}

  Place a call (the callee is simulated, nothing is charged):

    curl -s ${base_url}/api/v1/calls \\
      -H 'Authorization: Bearer ${number_key}' \\
      -H 'Content-Type: application/json' \\
      -d '{"to": "01000000001", "instruction": "내일 오후 3시 예약을 확인해 주세요"}'

  Then read it, with the call_id of the answer:

    curl -s ${base_url}/api/v1/calls/CALL_ID/transcript -H 'Authorization: Bearer ${number_key}'

`;
};
