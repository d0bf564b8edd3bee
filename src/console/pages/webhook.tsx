import { useState } from 'preact/hooks';
import { deleteWebhook, getWebhook, rotateSecret, testWebhook, updateWebhook } from '../api.ts';
import type { Webhook } from '../api/records.ts';
import { explain } from '../language/explain.ts';
import { texts } from '../language/language.ts';
import { Action } from '../parts/action.tsx';
import { DeliveryList } from '../parts/delivery-list.tsx';
import { Card, Loading, Missing, Page } from '../parts/page.tsx';
import { Secret } from '../parts/secret.tsx';
import { troubleWords, WebhookState, WebhookTimes } from '../parts/webhook-state.tsx';
import { dayAndTime } from '../parts/when.tsx';
import { usePolled } from '../polled.ts';
import { go, linkTo } from '../shown-page.ts';

/** Polling interval, because the state of deliveries may change while the page is open. */
const pollMs = 3_000;

export const WebhookPage = ({ id }: { id: string }) => {
  const t = texts.value.webhooks;
  const back = { to: linkTo('webhooks'), label: texts.value.shell.nav.webhooks };
  const {
    value: webhook,
    problem,
    reload,
  } = usePolled(
    id,
    () => getWebhook(id),
    () => pollMs,
  );
  if (problem !== undefined) return <Missing back={back} />;
  if (webhook === undefined) return <Loading />;
  return (
    <Page
      title={<span class="long">{webhook.url}</span>}
      back={back}
      lead={
        <>
          <WebhookState webhook={webhook} /> <WebhookTimes webhook={webhook} />
        </>
      }
    >
      <Trouble webhook={webhook} />
      <WebhookActions webhook={webhook} onChanged={reload} />
      <Card title={t.deliveries}>
        <DeliveryList webhookId={id} />
      </Card>
    </Page>
  );
};

/** Why an endpoint receives no events, with advice. The error of the request is a detail below it. */
const Trouble = ({ webhook }: { webhook: Webhook }) => {
  const words = troubleWords(webhook);
  if (words === '') return null;
  const detail = explain(webhook.last_failure ?? '', texts.value.sayings);
  return (
    <section class="notice" aria-label={texts.value.webhooks.trouble}>
      <p>{words}</p>
      {detail !== '' && detail !== words && <p class="hint">{detail}</p>}
    </section>
  );
};

type Tested = Awaited<ReturnType<typeof testWebhook>>;

const TestResult = ({
  tested: { error, advice, http_status: status, duration_ms: ms },
}: {
  tested: Tested;
}) => {
  const t = texts.value.webhooks;
  return error === null ? (
    <p class="fine">{t.testOk(status ?? 0, Math.round(ms))}</p>
  ) : (
    <>
      <p class="error">{t.testFailed(explain(advice ?? error, texts.value.sayings))}</p>
      {advice !== null && (
        <p class="hint">
          {explain(error, texts.value.sayings)} <span class="digits">{Math.round(ms)} ms</span>
        </p>
      )}
    </>
  );
};

const WebhookActions = ({ webhook, onChanged }: { webhook: Webhook; onChanged: () => void }) => {
  const t = texts.value.webhooks;
  const { id } = webhook;
  const [secret, setSecret] = useState<string>();
  const [tested, setTested] = useState<Tested>();
  const isActive = webhook.state === 'active';
  return (
    <section class="card">
      <div class="buttons">
        <Action key="test" look="primary" label={t.test} act={async () => setTested(await testWebhook(id))} />
        <Action
          key="pause"
          label={isActive ? t.pause : t.resume}
          act={async () => {
            await updateWebhook(id, { state: isActive ? 'paused' : 'active' });
            onChanged();
          }}
        />
        <Action
          key="rotate"
          label={t.rotate}
          asked={{ title: t.rotate, text: t.rotateText }}
          act={async () => {
            setSecret((await rotateSecret(id)).secret);
            onChanged();
          }}
        />
        <Action
          key="delete"
          look="danger"
          label={t.remove}
          asked={{ title: t.removeTitle, text: t.removeText }}
          act={async () => {
            await deleteWebhook(id);
            go(linkTo('webhooks'));
          }}
        />
      </div>
      <div role="status">{tested !== undefined && <TestResult tested={tested} />}</div>
      {webhook.previous_secret_until !== null && (
        <p class="hint">{t.previousUntil(dayAndTime(webhook.previous_secret_until))}</p>
      )}
      {secret !== undefined && <Secret label={t.secret} value={secret} onDone={() => setSecret(undefined)} />}
    </section>
  );
};
