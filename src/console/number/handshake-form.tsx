import { useState } from 'preact/hooks';
import { putInboundAuth } from '../api.ts';
import type { PhoneNumber } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { ChoiceField, FormBody, UrlField } from '../parts/field.tsx';
import { useForm } from '../parts/form.ts';
import { Card } from '../parts/page.tsx';
import { Secret } from '../parts/secret.tsx';

/** Form of the handshake, which authenticates callers (guides/design/agents.md, "Handshake"). */
export const HandshakeForm = ({
  numberId,
  stored,
}: {
  numberId: string;
  stored: PhoneNumber['inbound_auth'];
}) => {
  const t = texts.value.numbers.handshake;
  const [secret, setSecret] = useState<string>();
  const form = useForm({ method: stored.method, url: stored.url ?? '' }, async ({ method, url }) => {
    const saved = await putInboundAuth(numberId, {
      method,
      url: method === 'handshake' ? url.trim() || null : null,
    });
    setSecret(saved.secret);
  });
  return (
    <Card title={t.title} lead={t.lead}>
      <FormBody form={form} submit={texts.value.shell.form.save}>
        <ChoiceField
          form={form}
          name="method"
          label={t.method}
          choices={[
            { value: 'none', label: t.none },
            { value: 'handshake', label: t.handshake },
          ]}
        />
        {form.values.method === 'handshake' && (
          <UrlField form={form} name="url" label={t.url} hint={t.urlHint} />
        )}
      </FormBody>
      {secret !== undefined && <Secret label={t.secret} value={secret} onDone={() => setSecret(undefined)} />}
    </Card>
  );
};
