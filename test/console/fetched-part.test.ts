/** Korean words are fetched: by a page whose build is gone, and by one whose request was lost. */
import { consoleTest } from './in-browser.ts';

const words = /\/ko-[^/]*\.js$/;

consoleTest(
  'a page that was open before an update gets its words by being loaded anew',
  async (t, { open }) => {
    const page = await open({ locale: 'en-US' });
    await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
    let isGone = true;
    await page.route(words, (route) => (isGone ? route.fulfill({ status: 404 }) : route.continue()));
    // What is loaded anew is the next build.
    page.on('framenavigated', () => (isGone = false));
    await page.getByRole('button', { name: '한국어' }).click();
    await page.getByRole('heading', { name: '통화', level: 1 }).waitFor();
    t.false(isGone);
  },
);

consoleTest('a request for words that was lost once leaves nobody with English', async (t, { open }) => {
  const page = await open({ locale: 'ko-KR', page: '/nowhere' });
  let lost = 0;
  await page.route(words, (route) => {
    lost += 1;
    return lost === 1 ? route.abort() : route.continue();
  });
  await page.reload();
  await page.getByRole('button', { name: '로그아웃', exact: true }).waitFor();
  t.is(lost, 2);
});

consoleTest(
  'where the words are not to be had, the page says so in English, and is loaded anew once',
  async (t, { open }) => {
    const page = await open({ locale: 'ko-KR', page: '/nowhere' });
    let lost = 0;
    await page.route(words, (route) => {
      lost += 1;
      return route.abort();
    });
    await page.reload();
    await page.getByText('A part of this page could not be fetched.').waitFor();
    t.is(lost, 2);
    await page.unroute(words);
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await page.getByRole('button', { name: '로그아웃', exact: true }).waitFor();
  },
);
