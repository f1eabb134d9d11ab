import type { Socket } from "node:net";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { PunctualError } from "../contract/errors.ts";
import type { Store } from "../store/port.ts";
import type { Log } from "../telemetry/log.ts";
import { BARE_HEADERS } from "./security-headers.ts";

const RETRY_AFTER_S = 1;

/** What Fastify itself refuses, in the words of the catalogue. */
const REFUSED_BY_SERVER: Record<string, (request: FastifyRequest, error: FastifyError) => PunctualError> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (request) =>
    new PunctualError(
      "unsupported_media_type",
      `the body is "${request.headers["content-type"] ?? "of no type"}"; send application/json`,
    ),
  FST_ERR_CTP_BODY_TOO_LARGE: (request) =>
    new PunctualError("body_too_large", `the body is larger than ${request.routeOptions.bodyLimit ?? 0} bytes`),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new PunctualError("malformed_json", "the body has another length than the header content-length says"),
  FST_ERR_BAD_URL: () =>
    PunctualError.validation([
      { path: "url", code: "invalid_encoding", message: "the path is not percent-encoded UTF-8" },
    ]),
};

/** Every error leaves in the one format; what is nobody's fault outside is logged with the id that the answer carries. */
export function sendFailure(
  store: Store,
  log: Log,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const failure = toFailure(store, error, request);
  if (failure.status >= 500) {
    const level = failure.code === "internal" ? "error" : "warn";
    log[level]("request.failed", {
      requestId: request.id,
      method: request.method,
      url: request.url.split("?")[0],
      error,
    });
  }
  if (failure.status === 401) reply.header("www-authenticate", "Bearer");
  if (failure.status === 503 || failure.status === 429) reply.header("retry-after", String(retryAfter(failure)));
  return reply
    .status(failure.status)
    .type("application/json; charset=utf-8")
    .send({ error: { code: failure.code, message: failure.message, details: failure.details, requestId: request.id } });
}

function retryAfter({ retryAfterMs }: PunctualError): number {
  return retryAfterMs === null ? RETRY_AFTER_S : Math.max(1, Math.ceil(retryAfterMs / 1_000));
}

function toFailure(store: Store, error: unknown, request: FastifyRequest): PunctualError {
  if (error instanceof PunctualError) return error;
  if (store.isUnavailable(error))
    return new PunctualError("unavailable", "the database cannot be reached at the moment; try again", {
      cause: error,
    });
  const refused = REFUSED_BY_SERVER[(error as FastifyError).code];
  if (refused) return refused(request, error as FastifyError);
  const status = (error as FastifyError).statusCode;
  if (status !== undefined && status >= 400 && status < 500)
    return new PunctualError("validation_failed", (error as Error).message, { cause: error });
  if (status === 503)
    return new PunctualError("unavailable", "the node is overloaded or shutting down; try again", { cause: error });
  return new PunctualError("internal", `something failed inside Punctual; the log has it under ${request.id}`, {
    cause: error,
  });
}

/** What is not even HTTP gets the same format, by hand, because no request was made of it. */
export function refuseBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = BROKEN[error.code ?? ""] ?? ["400 Bad Request", "the request is not valid HTTP"];
  const body = JSON.stringify({ error: { code: "validation_failed", message, details: [], requestId: "" } });
  const headers = {
    ...BARE_HEADERS,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const head = [`HTTP/1.1 ${status}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

const BROKEN: Record<string, [status: string, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "the request took too long to arrive"],
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "the headers or the address are too large"],
};
