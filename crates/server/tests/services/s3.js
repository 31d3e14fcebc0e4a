// An S3 that others wrote, with a bucket called files. It ends with whoever holds its input.
"use strict";
const S3rver = require("s3rver");

const directory = process.argv[2];
const settings = { address: "127.0.0.1", port: 0, silent: true, directory };
new S3rver({ ...settings, configureBuckets: [{ name: "files" }] })
  .run()
  .then(({ port }) => console.log(JSON.stringify({ port })));
process.stdin.on("end", () => process.exit()).resume();
