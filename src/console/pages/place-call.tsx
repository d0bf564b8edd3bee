import { listNumbers, listTrunks, placeCall } from '../api.ts';
import type { PhoneNumber } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { withKeyOf } from '../known-keys.ts';
import { AreaField, FormBody, SelectField, TextField } from '../parts/field.tsx';
import { useForm, wholeNumber, wrongField, type FieldsOf, type FormValues } from '../parts/form.ts';
import { LinesField, namedIn } from '../parts/lines-field.tsx';
import { Empty, Loading, Page } from '../parts/page.tsx';
import { usePolled } from '../polled.ts';
import { go, linkTo, route } from '../shown-page.ts';

export const PlaceCallPage = () => {
  const t = texts.value.calls.place;
  const numbers = usePolled('numbers', listNumbers).value;
  if (numbers === undefined) return <Loading />;
  const [first] = numbers;
  return (
    <Page title={texts.value.shell.nav.place} lead={t.lead}>
      {first === undefined ? (
        <Empty title={t.noNumbers} hint={t.noNumbersHint}>
          <a class="button primary" href={linkTo('numbers', 'new')}>
            {texts.value.numbers.add}
          </a>
        </Empty>
      ) : (
        <PlaceCallForm numbers={numbers} first={first} />
      )}
    </Page>
  );
};

const PlaceCallForm = ({ numbers, first }: { numbers: PhoneNumber[]; first: PhoneNumber }) => {
  const t = texts.value.calls.place;
  const asked = route.value.query.get('number_id');
  const chosen = numbers.find(({ id }) => id === asked) ?? first;
  const form = useForm(
    { number_id: chosen.id, to: '', instruction: '', max_duration_sec: '', metadata: '', sip_headers: '' },
    async (values) => {
      const number = numbers.find(({ id }) => id === values.number_id) ?? chosen;
      if (number.key === null) throw wrongField('number_id', t.noKey);
      if (values.to.trim() === '') throw wrongField('to', 'This is required.');
      const metadata = namedIn('metadata', values.metadata, '=');
      const headers = namedIn('sip_headers', values.sip_headers, ':');
      const duration = wholeNumber('max_duration_sec', values.max_duration_sec);
      const call = {
        to: values.to,
        instruction: values.instruction.trim() || null,
        ...(metadata === null ? {} : { metadata }),
        ...(headers === null ? {} : { sip_headers: headers }),
        ...(duration === null ? {} : { max_duration_sec: duration }),
      };
      // Idempotency key, so that a request repeated after a replacement of the number's key places no second call.
      const idempotencyKey = crypto.randomUUID();
      const placed = await withKeyOf(number.id, (key) => placeCall(key, call, idempotencyKey));
      go(linkTo('calls', placed.call_id));
    },
  );
  return (
    <section class="card narrow">
      <FormBody form={form} submit={t.submit} saved={null}>
        <SelectField
          form={form}
          name="number_id"
          label={t.number}
          hint={t.audited}
          options={numbers.map(({ id, number }) => [id, number])}
        />
        <TextField form={form} name="to" mode="tel" label={t.to} hint={t.toHint} />
        <AreaField form={form} name="instruction" label={t.instruction} hint={t.instructionHint} isOptional />
        <TextField
          form={form}
          name="max_duration_sec"
          mode="numeric"
          label={t.duration}
          hint={t.durationHint}
          isOptional
        />
        <LinesField
          form={form}
          name="metadata"
          label={t.metadata}
          hint={t.metadataHint}
          placeholder="order=A-1042"
          isOptional
        />
        <HeadersField form={form} />
      </FormBody>
    </section>
  );
};

/** Field for SIP headers. Only trunks that allow headers send them, so without such a trunk the field is hidden. */
const HeadersField = ({ form }: { form: FieldsOf<FormValues> }) => {
  const t = texts.value.calls.place;
  const trunks = usePolled('trunks', listTrunks).value ?? [];
  const names = [...new Set(trunks.flatMap(({ headers_out: headers }) => headers))];
  return (
    <LinesField
      form={form}
      name="sip_headers"
      label={texts.value.calls.one.sipHeaders}
      hint={names.length === 0 ? t.noHeaders : t.headersHint(names.join(', '))}
      placeholder={`${names[0] ?? 'X-Ticket'}: 1042`}
      isOptional
    />
  );
};
