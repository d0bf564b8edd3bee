import { useState } from 'preact/hooks';
import { listDeliveries, replayDelivery } from '../api.ts';
import type { Delivery } from '../api/records.ts';
import { explain } from '../language/explain.ts';
import { language, texts } from '../language/language.ts';
import { usePolled } from '../polled.ts';
import { linkTo } from '../shown-page.ts';
import { Action, MoreButton } from './action.tsx';
import { Loading } from './page.tsx';
import { Pill, deliveryTones } from './pill.tsx';
import { dayAndTime, When } from './when.tsx';

const pollMs = 3_000;

/**
 * Deliveries to a webhook endpoint, newest first, each with its attempts. During the cool-down of a failing endpoint,
 * deliveries wait without an attempt.
 */
export const DeliveryList = ({ webhookId, isFailing }: { webhookId: string; isFailing: boolean }) => {
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
          <DeliveryItem key={delivery.id} delivery={delivery} isFailing={isFailing} onReplayed={reload} />
        ))}
      </ul>
      {cursor !== null && <MoreButton load={more} />}
    </>
  );
};

const DeliveryItem = ({
  delivery,
  isFailing,
  onReplayed,
}: {
  delivery: Delivery;
  isFailing: boolean;
  onReplayed: () => void;
}) => {
  const t = texts.value.webhooks;
  const { attempts, next_attempt_at: next } = delivery;
  return (
    <li>
      <details>
        <summary>
          <span class="row-main">
            <b>{delivery.type}</b>
            <small>
              <When at={delivery.created_at} precise /> ·{' '}
              {isFailing && attempts.length === 0 && delivery.state === 'pending'
                ? t.heldBack
                : t.attempts(attempts.length)}
              {next !== null && (
                <>
                  {' · '}
                  <span class="digits">{t.nextAttempt(dayAndTime(next))}</span>
                </>
              )}
            </small>
          </span>
          <Pill tone={deliveryTones[delivery.state]}>{t.deliveryState[delivery.state]}</Pill>
        </summary>
        <ol class="timeline">
          {attempts.map(({ attempt, at, http_status: status, error, duration_ms: ms }) => (
            <li key={attempt}>
              <When at={at} precise />
              <span>
                {status === null ? '' : `HTTP ${status} `}
                {error !== null && explain(error, language.value)}{' '}
                <small class="digits">{Math.round(ms)} ms</small>
              </span>
            </li>
          ))}
        </ol>
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
