/** Root of the API reference: the navigation, and the operation named in the address. */
import { LanguageChoice, SideFrame } from '../parts/frame.tsx';
import { Loading, Card, Page } from '../parts/page.tsx';
import { asConsole, requestOnce, Unreachable } from '../api/request.ts';
import { texts } from '../language/language.ts';
import { referenceTexts } from '../language/reference.ts';
import { usePolled } from '../polled.ts';
import { admin } from '../session.ts';
import { learnSession } from '../signing.ts';
import { linkTo, route } from '../shown-page.ts';
import { Directory } from './directory.tsx';
import { referenceOf, type Reference } from './document.ts';
import { FirstRequest } from './first-request.tsx';
import { OperationPage } from './operation-page.tsx';
import { Words } from './prose.tsx';

/** The first page of the reference: a first request, authentication and all operations. */
const Home = ({ reference }: { reference: Reference }) => {
  const { version, tags, operations } = reference;
  const t = referenceTexts.value;
  return (
    <Page title={t.title} lead={`${t.lead} ${t.version(version)}.`}>
      <FirstRequest reference={reference} />
      <Card title={t.keys}>
        <ul class="points">
          {t.keysLead.map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      </Card>
      {tags.map(({ name, description }) => (
        <section key={name} class="operations">
          <h2>
            <Words text={name} />
          </h2>
          <p class="hint">
            <Words text={description} />
          </p>
          <ul class="rows">
            {operations
              .filter(({ tag }) => tag === name)
              .map(({ id, method, path, summary }) => (
                <li key={id}>
                  <a class="row" href={linkTo(id)}>
                    <span class="row-main">
                      <b>
                        <Words text={summary} />
                      </b>
                      <code>
                        <span class={`method ${method}`}>{method}</span> {path}
                      </code>
                    </span>
                  </a>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </Page>
  );
};

const readReference = async (): Promise<Reference> => {
  const response = await requestOnce('/openapi.json', asConsole({ method: 'GET' }));
  if (!response.ok) throw new Unreachable('The document did not come.');
  return referenceOf(await response.json());
};

/**
 * Returns the id of the operation in the address. Links may name the group before the operation, as in similar API
 * references.
 */
const shownId = (): string | undefined => route.value.parts.at(-1);

const Shown = ({ reference }: { reference: Reference }) => {
  const id = shownId();
  if (id === undefined) return <Home reference={reference} />;
  const operation = reference.operations.find((one) => one.id === id);
  if (operation === undefined)
    return (
      <Page
        title={texts.value.shell.noPage}
        lead={referenceTexts.value.noOperation(id)}
        back={{ to: linkTo(), label: referenceTexts.value.everything }}
      >
        {null}
      </Page>
    );
  return <OperationPage key={id} operation={operation} schemas={reference.schemas} />;
};

export const ReferenceApp = () => {
  const t = referenceTexts.value;
  usePolled('session', learnSession);
  const { value: reference } = usePolled('reference', readReference);
  return (
    <SideFrame
      home={admin.value === null ? linkTo() : '/'}
      phone={
        <a class="button" href="/">
          <span aria-hidden="true">← </span>
          {t.console}
        </a>
      }
      look="reference"
      links={reference !== undefined && <Directory reference={reference} shownId={shownId()} />}
      end={
        <>
          <a href="/openapi.json">{t.asDocument}</a>
          <LanguageChoice />
        </>
      }
    >
      {reference === undefined ? <Loading /> : <Shown reference={reference} />}
    </SideFrame>
  );
};
