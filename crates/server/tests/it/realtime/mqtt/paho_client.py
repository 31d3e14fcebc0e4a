"""Three clients of one user, one of each QoS: each types, then prints the message meant for it."""

import sys
import threading

import paho.mqtt.client as mqtt

transport, address, token, room = sys.argv[1:]
host, port = address.rsplit(":", 1)
received = [None, None, None]
is_done = threading.Event()


def client(qos):
    def on_connect(it, _, flags, reason, properties):
        it.subscribe(f"{token}/c", qos)

    def on_subscribe(it, _, mid, reasons, properties):
        assert reasons[0].value == qos, reasons
        it.publish(f"r/{room}/{room}/bob/t", "1", qos=qos)

    def on_message(it, _, message):
        if b"with %d" % qos in message.payload:
            assert message.qos == qos, message.qos
            received[qos] = f"{message.qos} with {qos}"
            if all(received):
                is_done.set()

    it = mqtt.Client(
        mqtt.CallbackAPIVersion.VERSION2,
        client_id=f"paho-{transport}-{qos}",
        clean_session=qos < 2,
        protocol=mqtt.MQTTv311,
        transport=transport,
    )
    it.on_connect, it.on_subscribe, it.on_message = on_connect, on_subscribe, on_message
    it.ws_set_options(path="/mqtt")
    it.will_set("u/bob/s", "0", 1, retain=True)
    it.connect(host, int(port), keepalive=30)
    it.loop_start()
    return it


clients = [client(qos) for qos in range(3)]
if not is_done.wait(60):
    sys.exit(f"received only {received}")
for it in clients:
    it.disconnect()
    it.loop_stop()
print("\n".join(received))
