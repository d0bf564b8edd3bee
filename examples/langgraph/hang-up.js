const { GATEWAY_URL = 'http://127.0.0.1:8080', NUMBER_KEY = '' } = process.env;

/** Asks the gateway to end the call when everything that is still to be said has been heard. */
export const hangUp = async (callId) => {
  try {
    const response = await fetch(`${GATEWAY_URL}/api/v1/calls/${callId}/hangup`, {
      method: 'POST',
      headers: { authorization: `Bearer ${NUMBER_KEY}` },
    });
    if (!response.ok) console.error(`The call goes on: ${await response.text()}`);
  } catch (error) {
    console.error(`The call goes on: ${error.message}`, error.cause);
  }
  return {};
};
