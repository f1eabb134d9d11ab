import { generateKeyPairSync, sign } from "node:crypto";

/** A self-signed certificate for a name and an address, made on the spot, so that no private key lies in the tree. */
export function selfSigned(name: string, address = "127.0.0.1"): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ecdsaWithSha256 = sequence(oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));
  const commonName = sequence(der(0x31, sequence(oid([0x55, 0x04, 0x03]), der(0x0c, Buffer.from(name)))));
  const names = sequence(der(0x82, Buffer.from(name)), der(0x87, Buffer.from(address.split(".").map(Number))));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    ecdsaWithSha256,
    commonName,
    sequence(der(0x17, Buffer.from("200101000000Z")), der(0x18, Buffer.from("21200101000000Z"))),
    commonName,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(oid([0x55, 0x1d, 0x11]), der(0x04, names)))),
  );
  const signature = sign("sha256", toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, ecdsaWithSha256, der(0x03, Buffer.concat([Buffer.of(0), signature])));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function oid(bytes: number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}
