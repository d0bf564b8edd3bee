import { texts } from '../language/language.ts';
import { leave, stay } from '../shown-page.ts';
import { Dialog } from './dialog.tsx';

/** Confirmation before leaving a page with unsaved changes. */
export const LeaveQuestion = () => {
  const t = texts.value.shell.leaving;
  return (
    <Dialog title={t.title} onClose={stay}>
      <p>{t.text}</p>
      <div class="submit">
        <button type="button" class="primary" onClick={stay}>
          {t.stay}
        </button>
        <button type="button" class="danger" onClick={leave}>
          {t.leave}
        </button>
      </div>
    </Dialog>
  );
};
