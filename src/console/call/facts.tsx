import type { ComponentChildren } from 'preact';
import { anonymous } from '#src/domain/caller-identity.ts';
import type { Call } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { isOver } from '../parts/call-words.tsx';
import { NamedTexts } from '../parts/named-texts.tsx';
import { CopyButton } from '../parts/secret.tsx';
import { clockTime, When } from '../parts/when.tsx';
import { transferWords } from './transfer-words.ts';

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** A fact on a separate line. */
const LongFact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div class="long-fact">
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** Describes the status of a recording that cannot be played. Undefined for a recording with a player. */
const recordingWords = (call: Call): string | undefined => {
  const { recordingStatus: t } = texts.value.calls.one;
  if (!isOver(call))
    return (call.options.recording ?? call.options_pending.recording) === true ? t.live : undefined;
  return call.recording.status === 'none' && call.answered_at !== null ? t.none : undefined;
};

export const CallFacts = ({ call }: { call: Call }) => {
  const t = texts.value.calls.one;
  const limit = call.options.max_duration_sec ?? call.options_pending.max_duration_sec;
  const line = [call.sip.status, call.sip.reason].filter((part) => part !== null).join(' ');
  const reasons = (call.sip.reasons ?? []).map(({ protocol, cause, text }) =>
    [protocol, cause, text].filter((part) => part !== null).join(' '),
  );
  const recording = recordingWords(call);
  return (
    <section class="card">
      <dl class="facts call-facts">
        <Fact name={t.from}>
          <span class="digits">{call.from === anonymous ? texts.value.calls.withheld : call.from}</span>
        </Fact>
        {call.from_name !== null && <Fact name={t.fromName}>{call.from_name}</Fact>}
        {call.diversions.length > 0 && (
          <Fact name={t.divertedFrom}>
            {call.diversions.map(({ number, reason }) => (
              <div key={number}>
                <span class="digits">{number === anonymous ? texts.value.calls.withheld : number}</span>
                {reason !== null && ` (${reason})`}
              </div>
            ))}
          </Fact>
        )}
        <Fact name={t.to}>
          <span class="digits">{call.to}</span>
        </Fact>
        <Fact name={t.started}>
          <When at={call.started_at} />
        </Fact>
        {isOver(call) && call.answered_at !== null && (
          <Fact name={t.duration}>
            {call.duration_sec === null ? t.durationUnknown : clockTime(call.duration_sec)}
          </Fact>
        )}
        {limit !== undefined && <Fact name={t.limit}>{clockTime(limit)}</Fact>}
        {line !== '' && (
          <Fact name={t.sip}>
            {line}
            {[...reasons, ...(call.sip.call_info ?? [])].map((reason) => (
              <div key={reason}>{reason}</div>
            ))}
          </Fact>
        )}
        {call.transfer !== null && (
          <Fact name={t.transfer}>
            <span class="digits">{call.transfer.to}</span> · {transferWords(call.transfer)}
          </Fact>
        )}
        {call.consent !== undefined && (
          <Fact name={t.consent}>
            {(call.consent.given ? t.consentGiven : t.consentRefused)[call.consent.how]}
          </Fact>
        )}
        {recording !== undefined && <LongFact name={t.recording}>{recording}</LongFact>}
        {call.metadata !== undefined && (
          <LongFact name={t.metadata}>
            <NamedTexts texts={call.metadata} />
          </LongFact>
        )}
        {call.sip.headers !== undefined && (
          <LongFact name={t.sipHeaders}>
            <NamedTexts texts={call.sip.headers} />
          </LongFact>
        )}
        {call.summary !== null && <LongFact name={t.summary}>{call.summary}</LongFact>}
        {call.instruction !== null && <LongFact name={t.instruction}>{call.instruction}</LongFact>}
        <LongFact name={t.id}>
          <code>{call.id}</code> <CopyButton read={() => call.id} />
        </LongFact>
      </dl>
    </section>
  );
};
