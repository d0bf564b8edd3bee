import test from 'ava';
import { isSaidByMachine } from '#sip/listening/answering-phrases.ts';

const machines: readonly [string, string][] = [
  ['ko', '지금은 전화를 받을 수 없습니다. 삐 소리가 난 후 메시지를 남겨 주세요.'],
  ['ko', '고객이 전화를 받지 않아 음성 사서함으로 연결됩니다.'],
  ['ko-KR', '연결이 되지 않아 삐 소리 후 소리샘으로 연결되며 통화료가 부과됩니다.'],
  ['ko', '고객님의 전원이 꺼져 있어'],
  ['ko', '지금 거신 번호는 없는 번호입니다. 다시 확인하시고 걸어 주시기 바랍니다.'],
  ['ko', '성함과 용건을 남겨주시면 연락드리겠습니다'],
  ['en', 'Please leave a message after the tone.'],
  ['en-US', "Hi, this is Kim. I can't take your call right now"],
  ['en', 'Hi, it’s Kim, I’m not available at the moment'],
  ['en', 'You have reached the voicemail box of'],
  ['en', 'Your call has been forwarded to an automated voice messaging system'],
  ['en', 'At the tone, please record your message'],
  ['en', 'The person you are trying to reach is not accepting calls'],
  ['en', 'leave your name and number, and we will get back to you'],
  ['ja', 'ただいま電話に出ることができません。'],
  ['ja', 'ピーという発信音の後に、お名前とご用件をお話しください。'],
  ['ja', '留守番電話サービスに接続します。'],
  ['ja', 'おかけになった電話は、電波の届かない場所にあるか、電源が入っていないため、かかりません。'],
];

const people: readonly [string, string][] = [
  ['ko', '여보세요?'],
  ['ko', '네, 안녕하세요. 행복한 치과입니다. 무엇을 도와드릴까요?'],
  ['ko', '네, 전화 바꿨습니다.'],
  ['ko', '지금 회의 중이라서요, 이따가 다시 전화 주세요.'],
  ['ko', '담당자가 자리에 없는데 메시지 남겨 드릴까요?'],
  ['ko', '잠시 후에 다시 연락 주세요.'],
  ['en', 'Hello?'],
  ['en', 'Good morning, Happy Dental, this is Karen, how may I help you?'],
  ['en', 'He is not here. Would you like to leave a message?'],
  ['en', 'Can I take a message?'],
  ['en', 'Hold on, I am on the other line.'],
  ['ja', 'もしもし。'],
  ['ja', 'はい、さくら歯科でございます。'],
  ['ja', '担当者はただいま席を外しております。'],
  ['xx', 'Please leave a message after the tone.'],
  ['en', ''],
];

const said = test.macro<[string, string, boolean]>({
  exec: (t, language, text, byMachine) => t.is(isSaidByMachine(text, language), byMachine),
  title: (_, language, text, byMachine) =>
    `"${text}" (${language}) is ${byMachine ? 'what machines say' : 'not what machines say'}`,
});

for (const [language, text] of machines) test(said, language, text, true);
for (const [language, text] of people) test(said, language, text, false);
