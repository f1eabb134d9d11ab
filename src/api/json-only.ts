// Every route takes JSON in UTF-8, uncompressed, and nothing else. The types that a form or a plain script of a strange page
// can send without being asked for leave (text/plain, multipart, urlencoded) are refused with the rest.

import type { FastifyInstance, FastifyRequest } from "fastify";
import { PunctualError } from "../contract/errors.ts";
import { readJsonBody } from "./request-body.ts";

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*("utf-?8"|utf-?8)\s*)?;?\s*$/i;

const TYPE_LENGTH_MAX = 100;

export function takeJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    try {
      const refused = refusal(request);
      if (refused !== null) throw new PunctualError("unsupported_media_type", refused);
      done(null, readJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addHook("onRequest", async ({ headers }) => {
    // Of no bytes no type can be wrong; curl names one all the same.
    if (headers["content-length"] === "0") delete headers["content-type"];
  });
}

function refusal({ headers, raw }: FastifyRequest): string | null {
  const type = headers["content-type"] ?? "";
  // Before it is looked at closely: the rule is slow with thousands of spaces.
  if (type.length > TYPE_LENGTH_MAX) return `the content type has ${type.length} characters; send application/json`;
  if (!JSON_TYPE.test(type)) return `the body is "${type.slice(0, 200)}"; send application/json in UTF-8`;
  // Of two the server reads the first; what a proxy in front has read is anybody's guess.
  if (timesNamed(raw.rawHeaders, "content-type") > 1) return "the header content-type is there twice; send it once";
  const encoding = headers["content-encoding"] ?? "identity";
  return encoding === "identity" ? null : "the body is compressed; send it as it is";
}

/** Names and values take turns in the list. */
function timesNamed(rawHeaders: readonly string[], name: string): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;
}
