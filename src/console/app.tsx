/** The console: who is signed in, the frame around the pages, and which page is shown. */
import { isExpired, token } from './session.ts';
import { Frame } from './parts/frame.tsx';
import { Missing } from './parts/page.tsx';
import { SignIn, SignInAgain } from './pages/sign-in.tsx';
import { AuditPage } from './pages/audit.tsx';
import { CallPage } from './pages/call.tsx';
import { CallsPage } from './pages/calls.tsx';
import { NewNumberPage } from './pages/new-number.tsx';
import { NewTrunkPage } from './pages/new-trunk.tsx';
import { NewWebhookPage } from './pages/new-webhook.tsx';
import { NumberPage } from './pages/number.tsx';
import { NumbersPage } from './pages/numbers.tsx';
import { PlaceCallPage } from './pages/place-call.tsx';
import { TrunkPage } from './pages/trunk.tsx';
import { TrunksPage } from './pages/trunks.tsx';
import { TryAgentPage } from './pages/try-agent.tsx';
import { WebhookPage } from './pages/webhook.tsx';
import { WebhooksPage } from './pages/webhooks.tsx';
import { PhoneDock } from './phone/dock.tsx';
import { texts } from './language/language.ts';
import { linkTo, route } from './route.ts';

export const App = () => {
  if (token.value === null) return <SignIn />;
  return (
    <>
      <Frame>
        <CurrentPage />
      </Frame>
      <PhoneDock />
      {isExpired.value && <SignInAgain />}
    </>
  );
};

/** The `key` of a page makes another record another page. */
const CurrentPage = () => {
  const [section = 'calls', id, tab] = route.value.parts;
  switch (section) {
    case 'calls':
      return id === undefined ? <CallsPage /> : <CallPage key={id} id={id} />;
    case 'place-call':
      return <PlaceCallPage />;
    case 'numbers':
      if (id === undefined) return <NumbersPage />;
      return id === 'new' ? <NewNumberPage /> : <NumberPage key={id} id={id} tab={tab} />;
    case 'agents':
      return <TryAgentPage />;
    case 'webhooks':
      if (id === undefined) return <WebhooksPage />;
      return id === 'new' ? <NewWebhookPage /> : <WebhookPage key={id} id={id} />;
    case 'trunks':
      if (id === undefined) return <TrunksPage />;
      return id === 'new' ? <NewTrunkPage /> : <TrunkPage key={id} id={id} />;
    case 'audit':
      return <AuditPage />;
    default:
      return <Missing back={{ to: linkTo('calls'), label: texts.value.shell.nav.calls }} />;
  }
};
