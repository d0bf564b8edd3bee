/** The SIP reason of a call's end (RFC 3326, RFC 8688). */
import * as z from 'zod';

export const sipReasons = z
  .array(
    z.object({
      protocol: z.string().meta({ description: 'Usually `SIP` or `Q.850`.', example: 'Q.850' }),
      cause: z.int().nullable().meta({
        description: 'A SIP status, or a cause of the telephone network (ITU-T Q.850).',
        example: 41,
      }),
      text: z.string().nullable().meta({ example: 'Temporary failure' }),
    }),
  )
  .optional()
  .meta({
    description:
      'Why the call ended, from the header `Reason` of the refusal, the CANCEL or the BYE of the other side; at most four, each with a text of up to 200 characters. Absent if there is none.',
    example: [{ protocol: 'Q.850', cause: 41, text: 'Temporary failure' }],
  });

export const sipCallInfo = z
  .array(z.string())
  .optional()
  .meta({
    description:
      'Web addresses from the header `Call-Info` of a refusal, at which a blocked call can be disputed. Absent if there are none.',
    example: ['https://block.example.com/complaints'],
  });
