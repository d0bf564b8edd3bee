import { useState } from 'preact/hooks';
import { getDelivery, listDeliveries, replayDelivery } from '../api.ts';
import type { Delivery } from '../api/records.ts';
import { explain } from '../language/explain.ts';
import { texts } from '../language/language.ts';
import { usePolled } from '../polled.ts';
import { linkTo } from '../shown-page.ts';
import { Action, MoreButton } from './action.tsx';
import { Loading } from './page.tsx';
import { Pill, deliveryTones, waitingTones } from './pill.tsx';
import { nextAttemptWords } from './webhook-state.tsx';
import { When } from './when.tsx';

const pollMs = 3_000;

/** Deliveries to a webhook endpoint, newest first, each with its attempts and its body. */
export const DeliveryList = ({ webhookId }: { webhookId: string }) => {
  const { value: first, reload } = usePolled(
    webhookId,
    () => listDeliveries(webhookId, {}),
    () => pollMs,
  );
  const [older, setOlder] = useState<{ deliveries: Delivery[]; cursor: string | null }>();
  if (first === undefined) return <Loading />;
  const newest = new Set(first.deliveries.map(({ id }) => id));
  const deliveries = [...first.deliveries, ...(older?.deliveries ?? []).filter(({ id }) => !newest.has(id))];
  const cursor = older === undefined ? first.next_cursor : older.cursor;
  const more = async (): Promise<void> => {
    const next = await listDeliveries(webhookId, { cursor });
    setOlder({ deliveries: [...deliveries, ...next.deliveries], cursor: next.next_cursor });
  };
  if (deliveries.length === 0) return <p class="hint">{texts.value.webhooks.deliveriesEmpty}</p>;
  return (
    <>
      <ul class="deliveries">
        {deliveries.map((delivery) => (
          <DeliveryItem key={delivery.id} delivery={delivery} onReplayed={reload} />
        ))}
      </ul>
      {cursor !== null && <MoreButton load={more} />}
    </>
  );
};

/** Formats a body of JSON for reading. A shortened body remains as it is. */
const readable = (payload: string): string => {
  try {
    return JSON.stringify(JSON.parse(payload), null, 2);
  } catch {
    return payload;
  }
};

/** The body of a delivery, which is read when it is shown. */
const Payload = ({ deliveryId }: { deliveryId: string }) => {
  const t = texts.value.webhooks;
  const { value: read, problem } = usePolled(deliveryId, () => getDelivery(deliveryId));
  if (problem !== undefined) return <p class="hint">{explain(problem.message, texts.value.sayings)}</p>;
  if (read === undefined) return <Loading />;
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by keyboard */}
      <pre tabIndex={0} role="region" aria-label={t.payload}>
        {readable(read.payload)}
      </pre>
      {read.payload_truncated && <p class="hint">{t.payloadTruncated}</p>}
    </>
  );
};

const DeliveryState = ({ delivery: { state, waits_for: cause } }: { delivery: Delivery }) => {
  const t = texts.value.webhooks;
  return cause === null ? (
    <Pill tone={deliveryTones[state]}>{t.deliveryState[state]}</Pill>
  ) : (
    <Pill tone={waitingTones[cause]}>{t.waitsFor[cause]}</Pill>
  );
};

/** The cause of a failed attempt in words; the error of the request is a detail below it. */
const AttemptResult = ({
  attempt: { http_status: status, error, advice, duration_ms: ms },
}: {
  attempt: Delivery['attempts'][number];
}) => {
  const took = <small class="digits">{Math.round(ms)} ms</small>;
  if (error === null)
    return (
      <span>
        {texts.value.webhooks.deliveryState.delivered} <small>HTTP {status}</small> {took}
      </span>
    );
  const words = explain(error, texts.value.sayings);
  return (
    <span>
      {advice === null ? words : explain(advice, texts.value.sayings)}{' '}
      {advice !== null && <small>{words}</small>} {took}
    </span>
  );
};

const DeliveryItem = ({ delivery, onReplayed }: { delivery: Delivery; onReplayed: () => void }) => {
  const t = texts.value.webhooks;
  const [isOpen, setOpen] = useState(false);
  const { attempts, next_attempt_at: next } = delivery;
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span class="row-main">
            <b>{delivery.type}</b>
            <small class="whole">
              <When at={delivery.created_at} precise /> · {t.attempts(attempts.length)}
              {next !== null && (
                <>
                  {' · '}
                  <span class="digits">{nextAttemptWords(next)}</span>
                </>
              )}
            </small>
          </span>
          <DeliveryState delivery={delivery} />
        </summary>
        {attempts.length > 0 && (
          <ol class="timeline" aria-label={t.attemptList}>
            {attempts.map((attempt) => (
              <li key={attempt.attempt}>
                <When at={attempt.at} precise />
                <AttemptResult attempt={attempt} />
              </li>
            ))}
          </ol>
        )}
        {isOpen && <Payload deliveryId={delivery.id} />}
        <div class="buttons">
          <a class="button" href={linkTo('calls', delivery.call_id)}>
            {t.call}
          </a>
          <Action
            label={t.replay}
            done={t.replayed}
            act={async () => {
              await replayDelivery(delivery.id);
              onReplayed();
            }}
          />
        </div>
      </details>
    </li>
  );
};
