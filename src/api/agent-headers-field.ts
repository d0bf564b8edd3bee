/** Request field for the headers that a customer's agent endpoint receives (guides/design/agents.md, "Headers"). */
import * as z from 'zod';
import {
  agentHeaderName,
  isAgentHeaderValue,
  isReservedHeader,
  longestAgentHeader,
  mostAgentHeaders,
  type AgentHeaderChanges,
} from '#src/domain/agent-headers.ts';

const headerName = z
  .string()
  .regex(agentHeaderName, {
    error: 'The name of a header is 1 to 64 letters of ASCII, digits and hyphens.',
  })
  .refine((name) => !isReservedHeader(name), {
    error: 'This header belongs to the connection or to the gateway and cannot be set.',
  });

const headerValue = z
  .string({ error: 'A header is a text, or null to remove it. Leave it out to keep it.' })
  .refine(isAgentHeaderValue, {
    error: `A header has up to ${longestAgentHeader} printable characters of ASCII and no space at its ends.`,
  })
  .meta({ maxLength: longestAgentHeader })
  .nullable();

export const agentHeaders = z
  .record(headerName, headerValue)
  .superRefine((headers, context) => {
    const known = new Set<string>();
    for (const name of Object.keys(headers)) {
      const lower = name.toLowerCase();
      if (known.has(lower))
        context.addIssue({
          code: 'custom',
          path: [name],
          message: 'This header is listed twice: names are case-insensitive.',
        });
      known.add(lower);
    }
  })
  .refine((headers) => Object.values(headers).filter(Boolean).length <= mostAgentHeaders, {
    error: `An agent has up to ${mostAgentHeaders} headers.`,
  });

/** Returns the changes with names in lower case. An empty value removes a header, like null. */
export const headerChanges = <Absent extends null | undefined>(
  headers: z.output<typeof agentHeaders> | Absent,
): AgentHeaderChanges | Absent =>
  headers &&
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value || null]));
