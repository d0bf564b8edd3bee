import { useState } from 'preact/hooks';
import { eventTypes } from '#src/domain/event-types.ts';
import { createWebhook, listNumbers } from '../api.ts';
import { texts } from '../language/language.ts';
import { CheckField, ChoiceField, FormBody, SelectField, UrlField } from '../parts/field.tsx';
import { useForm, wrongField } from '../parts/form.ts';
import { Page } from '../parts/page.tsx';
import { Secret } from '../parts/secret.tsx';
import { usePolled } from '../polled.ts';
import { go, linkTo } from '../shown-page.ts';

const noTypes: Record<string, boolean> = Object.fromEntries(eventTypes.map((type) => [type, false]));

const initial: Record<string, string | boolean> & { url: string; which: string; number_id: string } = {
  url: '',
  which: 'all',
  number_id: '',
  ...noTypes,
};

export const NewWebhookPage = () => {
  const t = texts.value.webhooks;
  const numbers = usePolled('numbers', listNumbers).value ?? [];
  const [made, setMade] = useState<{ id: string; secret: string }>();
  const form = useForm(initial, async (values) => {
    const url = values.url.trim();
    if (url === '') throw wrongField('url', 'This is required.');
    const some = eventTypes.filter((type) => values[type] === true);
    const events = values.which === 'all' ? null : some;
    setMade(await createWebhook({ url, events, number_id: values.number_id || null }));
  });
  return (
    <Page
      title={t.add}
      lead={t.lead}
      back={{ to: linkTo('webhooks'), label: texts.value.shell.nav.webhooks }}
    >
      <section class="card narrow">
        {made !== undefined ? (
          <Secret label={t.secret} value={made.secret} onDone={() => go(linkTo('webhooks', made.id))} />
        ) : (
          <FormBody form={form} submit={t.create} saved={null}>
            <UrlField form={form} name="url" label={t.url} hint={t.urlHint} />
            <ChoiceField
              form={form}
              name="which"
              label={t.events}
              choices={[
                { value: 'all', label: t.eventsAll },
                { value: 'some', label: t.eventsSome },
              ]}
            />
            {form.values.which === 'some' && (
              <div class="checks" role="group" aria-label={t.eventsSome}>
                {eventTypes.map((type) => (
                  <CheckField key={type} form={form} name={type} label={type} />
                ))}
              </div>
            )}
            <SelectField
              form={form}
              name="number_id"
              label={t.number}
              options={[
                ['', t.anyNumber],
                ...numbers.map(({ id, number }): [string, string] => [id, number]),
              ]}
            />
          </FormBody>
        )}
      </section>
    </Page>
  );
};
