import { useState } from 'preact/hooks';
import { deleteNumber } from '../api.ts';
import type { PhoneNumber } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FormBody, TextField } from '../parts/field.tsx';
import { ForAdmins } from '../parts/for-admins.tsx';
import { useForm, wrongField } from '../parts/form.ts';
import { Card } from '../parts/page.tsx';
import { go, linkTo } from '../shown-page.ts';
import { forgetUnsaved } from '../unsaved.ts';

/** Deletes a number after the user has typed its digits. */
export const DeleteNumber = ({ number }: { number: PhoneNumber }) => {
  const t = texts.value.numbers.remove;
  const [isAsking, setAsking] = useState(false);
  return (
    <ForAdmins>
      <Card title={t.title} lead={t.lead}>
        <div class="buttons">
          <button type="button" class="danger" onClick={() => setAsking(true)}>
            {t.title}
          </button>
        </div>
        {isAsking && <TypedDigits number={number} onClose={() => setAsking(false)} />}
      </Card>
    </ForAdmins>
  );
};

const TypedDigits = ({ number: { id, number }, onClose }: { number: PhoneNumber; onClose: () => void }) => {
  const t = texts.value.numbers.remove;
  const form = useForm(
    { digits: '' },
    async ({ digits }) => {
      if (digits.replaceAll(/[\s-]/g, '') !== number) throw wrongField('digits', 'These are not its digits.');
      await deleteNumber(id);
      forgetUnsaved();
      go(linkTo('numbers'));
    },
    { isStored: false },
  );
  return (
    <Dialog title={t.asked(number)} onClose={onClose}>
      <p>{t.text}</p>
      <FormBody
        form={form}
        submit={t.title}
        look="danger"
        saved={null}
        beside={
          <button type="button" onClick={onClose}>
            {texts.value.shell.form.cancel}
          </button>
        }
      >
        <TextField form={form} name="digits" mode="tel" label={t.digits} />
      </FormBody>
    </Dialog>
  );
};
